import { Pool } from 'undici';
import { SluiceError } from '../../errors/index.ts';
import type { ChatRequestContext, Connection, UpstreamReceiver } from '../contract.ts';
import { ProviderCall } from './provider-call.ts';
import { overwriteMember, withMembers } from './request-body.ts';
import { upstreamError } from './upstream-error.ts';

const LIST_TIMEOUT_MS = 10_000;

export interface OpenAiCompatibleOptions {
  readonly provider: string;
  /** With its version path: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly connectTimeoutMs: number;
}

/** A server that speaks OpenAI's chat API: OpenAI itself, or any other by its base URL. Bodies pass both ways byte for byte. */
export class OpenAiCompatibleConnection implements Connection {
  readonly provider: string;
  readonly billed = true;
  readonly #pool: Pool;
  readonly #chatPath: string;
  readonly #modelsPath: string;
  readonly #headers: string[];
  readonly #readHeaders: Readonly<Record<string, string>>;

  constructor(options: OpenAiCompatibleOptions) {
    const url = new URL(options.baseUrl);
    const path = url.pathname.replace(/\/+$/, '');
    this.provider = options.provider;
    this.#chatPath = `${path}/chat/completions`;
    this.#modelsPath = `${path}/models`;
    const authorization = options.apiKey === undefined ? [] : ['authorization', `Bearer ${options.apiKey}`];
    this.#headers = [
      'content-type',
      'application/json',
      'accept',
      'application/json, text/event-stream',
      ...authorization,
    ];
    this.#readHeaders = options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` };
    // The gateway watches the time between the parts of an answer itself; two clocks would disagree.
    this.#pool = new Pool(url.origin, {
      connect: { timeout: options.connectTimeoutMs },
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
      keepAliveTimeout: 30_000,
    });
  }

  chat(context: ChatRequestContext, receiver: UpstreamReceiver): void {
    const call = new ProviderCall(this.provider, receiver);
    receiver.onConnecting(call);
    this.#pool.dispatch(
      { path: this.#chatPath, method: 'POST', headers: this.#headers, body: upstreamBody(context) },
      call,
    );
  }

  async listModels(): Promise<readonly string[]> {
    let answer;
    try {
      answer = await this.#pool.request({
        path: this.#modelsPath,
        method: 'GET',
        headers: this.#readHeaders,
        signal: AbortSignal.timeout(LIST_TIMEOUT_MS),
      });
    } catch (cause) {
      throw new SluiceError('provider_unreachable', { values: { provider: this.provider }, cause });
    }
    const body = await answer.body.text();
    if (answer.statusCode !== 200) throw upstreamError(this.provider, answer.statusCode, answer.headers, body);
    return modelIds(body) ?? fail(this.provider);
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}

/** The caller's body under the provider's model name; a stream always reports its usage, since it is billed by it. */
function upstreamBody(context: ChatRequestContext): Buffer {
  const model = JSON.stringify(context.model);
  if (!context.stream || context.wantsUsage) return overwriteMember(context.body, 'model', Buffer.from(model));
  const given = context.request.stream_options;
  const options =
    typeof given === 'object' && given !== null ? { ...given, include_usage: true } : { include_usage: true };
  return withMembers(context.body, { model, stream_options: JSON.stringify(options) });
}

function modelIds(body: string): string[] | null {
  try {
    const { data } = JSON.parse(body);
    return Array.isArray(data)
      ? data
          .map((model: unknown) => (typeof model === 'object' && model !== null && 'id' in model ? model.id : null))
          .filter((id) => typeof id === 'string')
      : null;
  } catch {
    return null;
  }
}

function fail(provider: string): never {
  throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no list of models' });
}
