import { pathSegment } from '../http/path-segment.ts';
import { SluiceError } from '../../../errors/index.ts';
import type { ProtocolName } from '../../../protocols/canonical/protocol.ts';
import type {
  ChatReceiver,
  ChatRequestContext,
  Connection,
  ConnectionSettings,
  MediaKind,
  NativeContext,
  ObjectRequest,
  SendNative,
  Services,
  UpstreamReceiver,
} from '../../contract.ts';
import { ResponsesChat } from '../openai-responses/responses-chat.ts';
import { HttpUpstream } from '../http/http-upstream.ts';
import { JobHttp } from '../jobs/job-http.ts';
import { noChat } from '../chat/no-chat.ts';
import { unsupportedParameters, refuseOrDrop } from '../../../protocols/canonical/parameter-policy.ts';
import { overwriteMember, splicedMembers, withMembers } from '../http/request-body.ts';
import { isLong, type SentBody } from '../sockets/sent-body.ts';
import type { GenerationRequest } from '../../../protocols/canonical/generation-request.ts';
import { CompletionsRelay } from './completions-relay.ts';
import { modelIds } from './model-ids.ts';
import { DialectReceiver } from './dialect/dialect-receiver.ts';
import { OpenAiBatches } from '../batches/openai-batches.ts';
import type { BatchService, Transport } from '../batches/batch-service.ts';
import type { OpenAiShape } from './openai-shape.ts';
import type { ServiceClient } from './services/service-client.ts';
import { openAiServices } from './services/services.ts';

const none: readonly string[] = [];

/** A connection to OpenAI or an OpenAI-compatible server. Bodies are relayed byte for byte, except for the differences that the shape declares. */
export class OpenAiCompatibleConnection implements Connection {
  readonly id: string;
  readonly provider: string;
  readonly billed: boolean;
  readonly services: Services;
  readonly batches?: BatchService;
  readonly #shape: OpenAiShape;
  readonly #settings: ConnectionSettings & { readonly baseUrl: string };
  readonly #upstream: HttpUpstream;
  readonly #jobs: JobHttp;
  readonly #chatPath: string | ((model: string) => string);
  readonly #modelsPath: string | null;
  /** Appended to each path. */
  readonly #query: string;
  readonly #responses: ResponsesChat;
  readonly #completions: CompletionsRelay;
  /** Whether requests only need the provider's model name and the stream options. */
  readonly #isUnchanged: boolean;
  readonly #supports: ((name: string, value: unknown) => boolean) | null;

  constructor(shape: OpenAiShape, settings: ConnectionSettings & { readonly baseUrl: string }) {
    this.id = settings.id;
    this.billed = settings.billed ?? shape.selfHosted !== true;
    this.provider = shape.id;
    this.#shape = shape;
    const { apiKey } = settings;
    const authorization = shape.authorization ?? ((key: string) => ['authorization', `Bearer ${key}`]);
    const network = {
      provider: shape.id,
      baseUrl: settings.baseUrl,
      headers: apiKey === undefined ? [] : authorization(apiKey),
      connectTimeoutMs: settings.connectTimeoutMs,
      dial: settings.dial,
      transport: settings.transport,
      foreignDial: settings.foreignDial,
      readError: shape.readError,
    };
    this.#upstream = new HttpUpstream(network);
    this.#jobs = new JobHttp(network);
    const query = shape.query?.(settings) ?? '';
    this.#query = query;
    const { chatPath = '/chat/completions' } = shape;
    this.#chatPath =
      typeof chatPath === 'string'
        ? this.#upstream.path(chatPath) + query
        : (model) => this.#upstream.path(chatPath(pathSegment(model), settings)) + query;
    this.#modelsPath = shape.modelsPath === null ? null : this.#upstream.path(shape.modelsPath ?? '/models') + query;
    this.#supports = supportedParameters(shape);
    this.#isUnchanged = this.#supports === null && shape.renames === undefined && shape.messages === undefined;
    const { servicePath } = shape;
    const pathOf = (endpoint: string, model: string): string =>
      servicePath === undefined ? endpoint : servicePath(endpoint, pathSegment(model), settings);
    const serviceClient: ServiceClient = {
      provider: shape.id,
      upstream: this.#upstream,
      jobs: this.#jobs,
      path: (endpoint, model) => this.#upstream.path(pathOf(endpoint, model)) + query,
    };
    this.services = {
      ...openAiServices(shape.services ?? [], serviceClient),
      ...shape.customServices?.(serviceClient),
    };
    const { baseUrl, options } = settings;
    const client = { id: settings.id, provider: shape.id, upstream: this.#upstream, baseUrl, query };
    this.#responses = new ResponsesChat(client, shape.responses ?? {}, options);
    this.#completions = new CompletionsRelay(serviceClient, shape.completions ?? false, options.completions);
    const batches = typeof shape.batches === 'function' ? shape.batches(settings) : shape.batches;
    const batchClient = { http: this.#jobs, basePath: this.#upstream.path(''), query };
    if (batches !== undefined) this.batches = new OpenAiBatches(batchClient, batches);
    else if (shape.customBatches !== undefined) this.batches = shape.customBatches(batchClient);
    this.#settings = settings;
  }

  chat(context: ChatRequestContext, receiver: ChatReceiver): readonly string[] {
    if (this.#shape.chats === false) return noChat(this.provider)(context, receiver);
    const { model } = context;
    if (this.#responses.serves(model)) return this.#responses.chat(context, receiver);
    const supports = this.#supports;
    let dropped = none;
    let omitted = none;
    if (supports !== null) {
      const { request } = context;
      dropped = refuseOrDrop(
        this.provider,
        unsupportedParameters(request, (name) => supports(name, request[name])),
        context.parameters,
      );
      // An empty value is dropped without a report, because the provider may reject its name.
      omitted = Object.keys(request).filter((name) => !supports(name, request[name]));
    }
    const path = typeof this.#chatPath === 'string' ? this.#chatPath : this.#chatPath(model);
    const { dialect } = this.#shape;
    const relay = dialect ? new DialectReceiver(this.provider, dialect, receiver) : receiver;
    this.#upstream.post(path, this.#body(context, omitted), relay);
    return dropped;
  }

  native(protocol: ProtocolName, model: string): SendNative | null {
    return protocol === 'completions' ? this.#completions.native(model) : this.#responses.native(protocol);
  }

  countTokens(protocol: ProtocolName, context: NativeContext, signal: AbortSignal): Promise<Buffer> | null {
    return this.#responses.countTokens(protocol, context, signal);
  }

  fetchedMedia(model: string, protocol: ProtocolName): readonly MediaKind[] {
    if (protocol !== 'chat-completions') return ['image', 'document'];
    const isFetching = this.#responses.serves(model)
      ? this.#responses.fetchesDocuments
      : this.#shape.fetchesDocuments === true;
    return isFetching ? ['image', 'document'] : ['image'];
  }

  get storesResponses(): boolean {
    return this.#responses.storesResponses;
  }

  sendObject({ method, path, body }: ObjectRequest, receiver: UpstreamReceiver): void {
    const query = this.#query === '' || !path.includes('?') ? this.#query : `&${this.#query.slice(1)}`;
    const full = this.#upstream.path(path) + query;
    if (body === undefined) this.#upstream.get(full, receiver, method);
    else this.#upstream.post(full, body, receiver);
  }

  through(transport: Transport): Connection {
    return new OpenAiCompatibleConnection(this.#shape, { ...this.#settings, transport });
  }

  maxImplicitSearches(model: string): number {
    return this.#shape.maxImplicitSearches?.(model) ?? 0;
  }

  readsReasoning(model: string): boolean {
    return this.#responses.serves(model);
  }

  async listModels(): Promise<readonly string[]> {
    if (this.#modelsPath === null) return [];
    return modelIds(await this.#upstream.getJson(this.#modelsPath)) ?? fail(this.provider);
  }

  async close(): Promise<void> {
    this.#responses.retire();
    await Promise.all([this.#upstream.close(), this.#jobs.close()]);
  }

  /** The client's body with the provider's model name. Streams always report their usage, because it is billed. */
  #body(context: ChatRequestContext, omitted: readonly string[]): SentBody {
    const { outline, stream, body } = context;
    const model = JSON.stringify(context.model);
    if (this.#isUnchanged && !stream) return overwriteMember(body, 'model', model);
    const edits: Record<string, string | null> = {};
    for (const name of omitted) edits[name] = null;
    if (!this.#isUnchanged) this.#adapt(context.request, edits);
    const source = outline ?? context.request;
    if (stream && this.#shape.supportsStreamOptions === false) edits.stream_options = null;
    else if (stream && !context.wantsUsage) edits.stream_options = withIncludeUsage(source.stream_options);
    if (Object.keys(edits).length === 0) return overwriteMember(body, 'model', model);
    // A long prompt is not copied for a few bytes.
    if (isLong(body)) return splicedMembers(overwriteMember(body, 'model', model), edits);
    return withMembers(body, { ...edits, model });
  }

  #adapt(request: GenerationRequest, edits: Record<string, string | null>): void {
    const messages = this.#shape.messages?.(request.messages) ?? request.messages;
    if (messages !== request.messages) edits.messages = JSON.stringify(messages);
    for (const [name, renamed] of Object.entries(this.#shape.renames ?? {})) {
      const value = request[name];
      if (value === undefined) continue;
      edits[name] = null;
      if (value !== null) edits[renamed] = JSON.stringify(value);
    }
  }
}

/** Null if the provider supports all OpenAI parameters. */
function supportedParameters({
  unsupportedParams = [],
  supportedValues = {},
}: OpenAiShape): ((name: string, value: unknown) => boolean) | null {
  const not = new Set(unsupportedParams);
  const only = new Map(Object.entries(supportedValues));
  if (not.size === 0 && only.size === 0) return null;
  return (name, value) => !not.has(name) && (only.get(name)?.(value) ?? true);
}

function withIncludeUsage(options: unknown): string {
  return JSON.stringify(
    typeof options === 'object' && options !== null ? { ...options, include_usage: true } : { include_usage: true },
  );
}

function fail(provider: string): never {
  throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no list of models' });
}
