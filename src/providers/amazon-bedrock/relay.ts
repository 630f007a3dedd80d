import { systemClock, type Clock } from '../../calendar/clock.ts';
import { SluiceError } from '../../errors/index.ts';
import { countOf, membersOf } from '../../protocols/canonical/json-members.ts';
import { refuseOrDrop } from '../../protocols/canonical/parameter-policy.ts';
import type { ProtocolName } from '../../protocols/canonical/protocol.ts';
import type { ProtocolRelay } from '../bridge/package-declaration.ts';
import type { ConnectionSettings, NativeContext, SendNative, UpstreamReceiver } from '../contract.ts';
import { collected } from '../shared/chat/collected-answer.ts';
import { HttpUpstream, type HttpUpstreamOptions } from '../shared/http/http-upstream.ts';
import { pathSegment } from '../shared/http/path-segment.ts';
import { parsedAnswer, postedJson } from '../shared/http/posted-json.ts';
import { memberValue, overwriteMember, withMembers } from '../shared/http/request-body.ts';
import { acceptedBetas, withConfiguredBetas } from '../shared/messages/accepted-betas.ts';
import { accessKey, messagesApi, serviceUrl, type MessagesApi } from './access.ts';
import { readBedrockError } from './errors.ts';
import { signatureHeaders } from './signature.ts';
import { UnwrappedStream } from './unwrapped-stream.ts';

const VERSION = '"bedrock-2023-05-31"';
const VERSION_HEADER = 'anthropic-version';
const MAX_COUNT_BYTES = 64 * 1024;

/**
 * Betas of models at Bedrock; it refuses a request with others. Source:
 * docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html and the pages
 * of each feature beside it.
 */
const betas: readonly string[] = [
  'compact-2026-01-12',
  'computer-use-2024-10-22',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'dev-full-thinking-2025-05-14',
  'effort-2025-11-24',
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'output-128k-2025-02-19',
  'token-efficient-tools-2025-02-19',
  'tool-examples-2025-10-29',
  'tool-search-tool-2025-10-19',
];

/**
 * Anthropic's Messages API at Amazon Bedrock. `InvokeModel` has it in an envelope: the model is in the path, the method says
 * whether the response is streamed, version and betas are in the body, and a stream is AWS's event stream. The endpoints
 * `/anthropic/v1/messages` of `bedrock-runtime` and `bedrock-mantle` have it as it is. Source:
 * docs.aws.amazon.com/bedrock/latest/userguide/inference-messages-api.html.
 */
export class BedrockRelay implements ProtocolRelay {
  readonly #provider: string;
  readonly #api: MessagesApi;
  readonly #upstream: HttpUpstream;
  readonly #betas: ReadonlySet<string>;

  constructor(provider: string, settings: ConnectionSettings, clock: Pick<Clock, 'now'> = systemClock) {
    this.#provider = provider;
    this.#api = messagesApi(provider, settings);
    this.#upstream = new HttpUpstream(upstreamOptions(provider, settings, this.#api, clock));
    this.#betas = withConfiguredBetas(betas, settings.options.anthropic_betas);
  }

  native(protocol: ProtocolName, model: string): SendNative | null {
    if (protocol !== 'messages' || !isClaude(model)) return null;
    return this.#api === 'invoke' ? this.#invoke : this.#forward;
  }

  nativeEmbeddings(): null {
    return null;
  }

  countTokens(protocol: ProtocolName, context: NativeContext, signal: AbortSignal): Promise<Buffer> | null {
    if (protocol !== 'messages' || !isClaude(context.model)) return null;
    if (this.#api !== 'mantle') return this.#count(context, signal);
    const send = (receiver: UpstreamReceiver): void =>
      void this.#post('/anthropic/v1/messages/count_tokens', context, receiver);
    return collected(this.#provider, signal, send, MAX_COUNT_BYTES).then((answer) => answer.body);
  }

  close(): Promise<void> {
    return this.#upstream.close();
  }

  readonly #invoke: SendNative = (context, receiver) => {
    const { sent, dropped } = this.#betasOf(context);
    const method = context.stream ? 'invoke-with-response-stream' : 'invoke';
    const path = this.#upstream.path(`/model/${pathSegment(context.model)}/${method}`);
    const body = invocation(context.body, sent);
    this.#upstream.post(path, body, context.stream ? new UnwrappedStream(this.#provider, receiver) : receiver);
    return dropped;
  };

  readonly #forward: SendNative = (context, receiver) => this.#post('/anthropic/v1/messages', context, receiver);

  #post(endpoint: string, context: NativeContext, receiver: UpstreamReceiver): readonly string[] {
    const { sent, dropped } = this.#betasOf(context);
    const at = context.headers.indexOf(VERSION_HEADER);
    const version = at < 0 ? '2023-06-01' : (context.headers[at + 1] ?? '');
    const headers = [VERSION_HEADER, version, ...(sent.length === 0 ? [] : ['anthropic-beta', sent.join(',')])];
    const named = overwriteMember(context.body, 'model', JSON.stringify(context.model));
    this.#upstream.post(this.#upstream.path(endpoint), named, receiver, headers);
    return dropped;
  }

  #betasOf(context: NativeContext): ReturnType<typeof acceptedBetas> {
    const { sent, dropped } = acceptedBetas(context, this.#betas);
    return { sent, dropped: refuseOrDrop(this.#provider, dropped, context.parameters) };
  }

  /**
   * `CountTokens`, which knows models by the names that they have without an inference profile. What it refuses may be the
   * model or the envelope: no refusal is the client's. Source:
   * docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html.
   */
  async #count(context: NativeContext, signal: AbortSignal): Promise<Buffer> {
    const provider = this.#provider;
    const { sent } = acceptedBetas(context, this.#betas);
    const request = invocation(context.body, sent);
    const complete = memberValue(request, 'max_tokens') === null ? withMembers(request, { max_tokens: '1' }) : request;
    const body = JSON.stringify({ input: { invokeModel: { body: complete.toString('base64') } } });
    const path = this.#upstream.path(`/model/${pathSegment(foundationModel(context.model))}/count-tokens`);
    const counted = await postedJson({ provider, upstream: this.#upstream, path, body, signal }).catch(
      (cause: unknown) => {
        throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no count', cause });
      },
    );
    const tokens = countOf(membersOf(parsedAnswer(provider, counted)).inputTokens);
    return Buffer.from(JSON.stringify({ input_tokens: tokens }));
  }
}

/** Names with an inference profile, or as part of an ARN, too. An ARN that does not name its model is not known to be one. */
function isClaude(model: string): boolean {
  return /(?:^|[./])anthropic\.claude/.test(model);
}

/** `anthropic.claude-sonnet-4-6` of `eu.anthropic.claude-sonnet-4-6`. */
function foundationModel(model: string): string {
  return /anthropic\.claude.*$/.exec(model)?.[0] ?? model;
}

function invocation(body: Buffer, sent: readonly string[]): Buffer {
  return withMembers(body, {
    model: null,
    stream: null,
    anthropic_version: VERSION,
    anthropic_beta: sent.length === 0 ? null : JSON.stringify(sent),
  });
}

function upstreamOptions(
  provider: string,
  settings: ConnectionSettings,
  api: MessagesApi,
  clock: Pick<Clock, 'now'>,
): HttpUpstreamOptions {
  const service = api === 'mantle' ? 'bedrock-mantle' : 'bedrock-runtime';
  const { apiKey, connectTimeoutMs, dial, options } = settings;
  const common = {
    provider,
    baseUrl: serviceUrl(service, settings),
    connectTimeoutMs,
    dial,
    readError: readBedrockError,
    // `InvokeModel` reads it as the type of the model's response.
    ...(api === 'invoke' && { accept: 'application/json' }),
  };
  if (apiKey !== undefined)
    return { ...common, headers: api === 'invoke' ? ['authorization', `Bearer ${apiKey}`] : ['x-api-key', apiKey] };
  const key = accessKey(provider, settings);
  if (key === null) return { ...common, headers: [] };
  const { host } = new URL(common.baseUrl);
  const scope = { region: options.region ?? '', service: api === 'mantle' ? service : 'bedrock' };
  return {
    ...common,
    headers: [],
    authorize: (request) => Promise.resolve(signatureHeaders(request, host, scope, key, clock.now())),
  };
}
