import { SluiceError } from '../../errors/index.ts';
import type { ChatRequestContext, Connection, ConnectionSettings, UpstreamReceiver } from '../contract.ts';
import { HttpUpstream } from '../shared/http-upstream.ts';
import { notTaken, refuseOrDrop } from '../shared/parameters.ts';
import { overwriteMember, withMembers } from '../shared/request-body.ts';
import type { OpenAiShape } from './openai-shaped.ts';

/** A server that speaks OpenAI's chat API: OpenAI itself, or any other by its base URL. Bodies pass both ways byte for byte. */
export class OpenAiCompatibleConnection implements Connection {
  readonly id: string;
  readonly provider: string;
  readonly billed = true;
  readonly #shape: OpenAiShape;
  readonly #upstream: HttpUpstream;
  readonly #chatPath: string;
  readonly #modelsPath: string | null;
  readonly #takesNot: ReadonlySet<string> | null;

  constructor(shape: OpenAiShape, settings: ConnectionSettings & { readonly baseUrl: string }) {
    this.id = settings.id;
    this.provider = shape.id;
    this.#shape = shape;
    const { apiKey } = settings;
    const authorization = shape.authorization ?? ((key: string) => ['authorization', `Bearer ${key}`]);
    this.#upstream = new HttpUpstream({
      provider: shape.id,
      baseUrl: settings.baseUrl,
      headers: apiKey === undefined ? [] : authorization(apiKey),
      connectTimeoutMs: settings.connectTimeoutMs,
      dial: settings.dial,
    });
    const query = shape.query?.(settings) ?? '';
    this.#chatPath = this.#upstream.path(shape.chatPath ?? '/chat/completions') + query;
    this.#modelsPath = shape.modelsPath === null ? null : this.#upstream.path(shape.modelsPath ?? '/models') + query;
    this.#takesNot = shape.takesNot ? new Set(shape.takesNot) : null;
  }

  chat(context: ChatRequestContext, receiver: UpstreamReceiver): readonly string[] {
    const takesNot = this.#takesNot;
    const dropped =
      takesNot === null
        ? []
        : refuseOrDrop(
            this.provider,
            notTaken(context.request, (name) => !takesNot.has(name)),
            context.parameters,
          );
    this.#upstream.post(this.#chatPath, this.#body(context, dropped), receiver);
    return dropped;
  }

  async listModels(): Promise<readonly string[]> {
    if (this.#modelsPath === null) return [];
    return modelIds(await this.#upstream.getJson(this.#modelsPath)) ?? fail(this.provider);
  }

  close(): Promise<void> {
    return this.#upstream.close();
  }

  /** The caller's body under the provider's model name; a stream always reports its usage, since it is billed by it. */
  #body(context: ChatRequestContext, dropped: readonly string[]): Buffer {
    const model = JSON.stringify(context.model);
    const edits: Record<string, string | null> = {};
    for (const name of dropped) edits[name] = null;
    this.#rename(context, edits);
    if (context.stream && this.#shape.takesStreamOptions === false) edits.stream_options = null;
    else if (context.stream && !context.wantsUsage) edits.stream_options = usageAsked(context.request.stream_options);
    if (Object.keys(edits).length === 0) return overwriteMember(context.body, 'model', Buffer.from(model));
    return withMembers(context.body, { ...edits, model });
  }

  #rename({ request }: ChatRequestContext, edits: Record<string, string | null>): void {
    for (const [name, theirs] of Object.entries(this.#shape.renames ?? {})) {
      const value = request[name];
      if (value === undefined) continue;
      edits[name] = null;
      if (value !== null) edits[theirs] = JSON.stringify(value);
    }
  }
}

function usageAsked(given: unknown): string {
  return JSON.stringify(
    typeof given === 'object' && given !== null ? { ...given, include_usage: true } : { include_usage: true },
  );
}

function modelIds(answer: unknown): string[] | null {
  // Some servers answer with the bare list.
  const data = Array.isArray(answer) ? answer : typeof answer === 'object' && answer && 'data' in answer && answer.data;
  return Array.isArray(data)
    ? data
        .map((model: unknown) => (typeof model === 'object' && model !== null && 'id' in model ? model.id : null))
        .filter((id) => typeof id === 'string')
    : null;
}

function fail(provider: string): never {
  throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no list of models' });
}
