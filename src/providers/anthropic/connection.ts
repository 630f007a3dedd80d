/**
 * Anthropic's Messages API: `POST /messages`.
 *
 * Reasoning. A client requests it by OpenAI's `reasoning_effort`, which becomes `thinking` and `output_config.effort`,
 * or directly by Anthropic's `thinking`. Thinking is relayed as `reasoning_content`. Signed thinking is also in
 * `reasoning_details` of the format `anthropic-claude-v1`: `reasoning.text` with `text` and `signature` for a thinking
 * block, `reasoning.encrypted` with `data` for a redacted one. The `id` of a block that is not at the beginning states
 * its position: `after:{characters of the content}:{calls}`. A client that sends the message back unchanged sends each
 * block back at its position, before the text and the calls that followed it, so that thinking continues after a tool's
 * result.
 *
 * Models with a thinking budget reject thinking when the first message of a tool round trip lacks its thinking:
 * `reasoning_effort` is then dropped and reported. Adaptive models accept such a conversation. The newest models
 * compare thinking with everything before it: the request lets them drop thinking that does not match.
 *
 * Blocks of Anthropic's built-in tools have no member in OpenAI's messages. Between thinking blocks they are preserved,
 * as `reasoning.encrypted` with the `id` `block:{characters}:{calls}` and the block's JSON as `data`; so is a
 * compaction. Source: platform.claude.com/docs/en/build-with-claude/thinking and /preserved-thinking.
 */
import { SluiceError } from '../../errors/index.ts';
import type { ProtocolName } from '../../protocols/canonical/protocol.ts';
import type {
  ChatReceiver,
  ChatRequestContext,
  Connection,
  ConnectionSettings,
  MediaKind,
  NativeContext,
  SendNative,
  Services,
  UpstreamReceiver,
} from '../contract.ts';
import type { BatchService, Transport } from '../shared/batches/batch-service.ts';
import { JobHttp } from '../shared/jobs/job-http.ts';
import { AnthropicBatches } from './batches.ts';
import { overwriteMember } from '../shared/http/request-body.ts';
import { HttpUpstream } from '../shared/http/http-upstream.ts';
import { cachesPrompts } from '../shared/chat/prompt-caching.ts';
import { collected } from '../shared/chat/collected-answer.ts';
import { TranslatedAnswer } from '../shared/chat/translated-answer.ts';
import { MessagesDecoder } from '../../protocols/messages/decode-stream.ts';
import { readAnthropicError } from '../../protocols/messages/errors.ts';
import { isObject, listOf, textOf, type JsonObject } from '../../protocols/canonical/json-members.ts';
import { encodeMessagesRequest } from '../../protocols/messages/encode-request.ts';
import { modelTraits } from './model-traits.ts';

const VERSION_HEADER = 'anthropic-version';
/** Of requests that Sluice makes itself, and of clients that name none. */
const version = [VERSION_HEADER, '2023-06-01'] as const;
const MAX_PAGES = 20;
const MAX_COUNT_BYTES = 64 * 1024;

/** A connection to Anthropic, or to a server with its API. */
export class AnthropicConnection implements Connection {
  readonly id: string;
  readonly provider: string;
  readonly billed: boolean;
  readonly services: Services = {};
  readonly batches: BatchService;
  readonly #upstream: HttpUpstream;
  readonly #jobs: JobHttp;
  readonly #settings: ConnectionSettings & { readonly baseUrl: string };
  readonly #path: string;
  readonly #cachesPrompts: boolean;

  constructor(provider: string, settings: ConnectionSettings & { readonly baseUrl: string }) {
    this.id = settings.id;
    this.billed = settings.billed ?? true;
    this.provider = provider;
    const network = {
      provider,
      baseUrl: withVersion(settings.baseUrl),
      headers: settings.apiKey === undefined ? [] : ['x-api-key', settings.apiKey],
      connectTimeoutMs: settings.connectTimeoutMs,
      dial: settings.dial,
      transport: settings.transport,
      readError: readAnthropicError,
    };
    this.#upstream = new HttpUpstream(network);
    this.#path = this.#upstream.path('/messages');
    this.#jobs = new JobHttp({ ...network, headers: [...network.headers, ...version] });
    this.batches = new AnthropicBatches(this.#jobs, this.#path);
    this.#settings = settings;
    this.#cachesPrompts = cachesPrompts(provider, settings);
  }

  readonly #forward: SendNative = (context, receiver) => this.#post(this.#path, context, receiver);

  #post(path: string, { model, body, headers, query }: NativeContext, receiver: UpstreamReceiver): readonly string[] {
    const named = overwriteMember(body, 'model', JSON.stringify(model));
    this.#upstream.post(query === '' ? path : `${path}?${query}`, named, receiver, withVersionHeader(headers));
    return [];
  }

  chat(context: ChatRequestContext, receiver: ChatReceiver): readonly string[] {
    const { request, model, stream, parameters } = context;
    const options = {
      provider: this.provider,
      model,
      stream,
      parameters,
      traits: modelTraits(model),
      automaticCaching: this.#cachesPrompts,
    };
    const { body, betas, dropped } = encodeMessagesRequest(request, options);
    const answer = new TranslatedAnswer(this.provider, context, receiver, (writer) => new MessagesDecoder(writer));
    this.#upstream.post(
      this.#path,
      body,
      answer,
      betas.length > 0 ? [...version, 'anthropic-beta', betas.join(',')] : version,
    );
    return dropped;
  }

  native(protocol: ProtocolName): SendNative | null {
    return protocol === 'messages' ? this.#forward : null;
  }

  countTokens(protocol: ProtocolName, context: NativeContext, signal: AbortSignal): Promise<Buffer> | null {
    if (protocol !== 'messages') return null;
    const path = `${this.#path}/count_tokens`;
    const send = (receiver: UpstreamReceiver): void => void this.#post(path, context, receiver);
    return collected(this.provider, signal, send, MAX_COUNT_BYTES).then(({ body }) => body);
  }

  fetchedMedia(): readonly MediaKind[] {
    return ['image', 'document'];
  }

  through(transport: Transport): Connection {
    return new AnthropicConnection(this.provider, { ...this.#settings, transport });
  }

  readsReasoning(): boolean {
    return true;
  }

  async listModels(): Promise<readonly string[]> {
    const names: string[] = [];
    let after = '';
    for (let page = 0; page < MAX_PAGES; page++) {
      const answer = await this.#modelsPage(after);
      for (const model of listOf(answer.data))
        if (isObject(model) && typeof model.id === 'string') names.push(model.id);
      const last = textOf(answer.last_id);
      if (answer.has_more !== true || last === null || last === after) break;
      after = last;
    }
    return names;
  }

  async close(): Promise<void> {
    await Promise.all([this.#upstream.close(), this.#jobs.close()]);
  }

  async #modelsPage(after: string): Promise<JsonObject> {
    const query = `limit=1000${after === '' ? '' : `&after_id=${encodeURIComponent(after)}`}`;
    const answer = await this.#upstream.getJson(this.#upstream.path(`/models?${query}`), version);
    if (isObject(answer) && Array.isArray(answer.data)) return answer;
    throw new SluiceError('provider_invalid_response', {
      values: { provider: this.provider },
      detail: 'no list of models',
    });
  }
}

function withVersionHeader(headers: readonly string[]): readonly string[] {
  return headers.includes(VERSION_HEADER) ? headers : [...version, ...headers];
}

/** Anthropic's own SDKs accept a base URL without the version, and users configure such URLs. */
function withVersion(baseUrl: string): string {
  return new URL(baseUrl).pathname === '/' ? new URL('/v1', baseUrl).href : baseUrl;
}
