import type { LanguageModelV4 } from '@ai-sdk/provider';
import { SluiceError } from '../../errors/index.ts';
import type { ProtocolName } from '../../protocols/canonical/protocol.ts';
import type {
  ChatReceiver,
  ChatRequestContext,
  Connection,
  ConnectionSettings,
  GeminiEmbeddingsMethod,
  MediaKind,
  NativeContext,
  Send,
  SendNative,
  Services,
} from '../contract.ts';
import type { HttpUpstream } from '../shared/http/http-upstream.ts';
import { noChat } from '../shared/chat/no-chat.ts';
import { unsupportedParameters, refuseOrDrop } from '../../protocols/canonical/parameter-policy.ts';
import { requirePathName } from '../shared/http/path-segment.ts';
import type { AiSdkPackage, ProtocolRelay, VideoConnection } from './package-declaration.ts';
import { callOptions } from './call-options.ts';
import { ChatCall } from './chat-call.ts';
import { commonParameters, type ChatDialect } from './chat-dialect.ts';
import { ConnectionFetch } from './package/connection-fetch.ts';
import { packageEmbeddings } from './services/embeddings.ts';
import { nativeUpstream } from './native-services.ts';
import { packageImages } from './services/images.ts';
import { packageRerank } from './services/rerank.ts';
import type { PackageContext, PackageModels } from './package/package-models.ts';

/** A connection to a provider through its AI SDK package, which is loaded at its first use. */
export class AiSdkConnection implements Connection {
  readonly id: string;
  readonly provider: string;
  readonly billed: boolean;
  readonly services: Services;
  readonly #package: AiSdkPackage;
  readonly #settings: ConnectionSettings;
  readonly #network: ConnectionFetch;
  readonly #native: HttpUpstream | null;
  readonly #video: VideoConnection | null;
  readonly #relay: ProtocolRelay | null;
  #models: Promise<PackageModels> | null = null;

  constructor(declared: AiSdkPackage, settings: ConnectionSettings) {
    this.id = settings.id;
    this.billed = settings.billed ?? true;
    this.provider = declared.id;
    this.#package = declared;
    this.#settings = settings;
    this.#network = new ConnectionFetch(declared.id, settings);
    const { id, baseUrl, native } = declared;
    this.#native = native && baseUrl !== null ? nativeUpstream(id, baseUrl, native, settings) : null;
    const context = { provider: declared.id, network: this.#network, models: () => this.models() };
    this.#video = declared.video?.(settings) ?? null;
    this.#relay = declared.relay?.(settings, this.#network.fetch) ?? null;
    this.services = {
      ...(this.#native && native?.services(this.#native)),
      ...(declared.embeddings && { embeddings: named(packageEmbeddings(context, declared.embeddings)) }),
      ...(declared.images && { images: named(packageImages(context, declared.images)) }),
      ...(declared.rerank && { rerank: named(packageRerank(context, declared.rerank)) }),
      ...(this.#video && { video: this.#video.service }),
    };
  }

  chat(context: ChatRequestContext, receiver: ChatReceiver): readonly string[] {
    const { model, request, parameters } = context;
    requirePathName(model);
    if (this.#package.chat === undefined) return noChat(this.provider)(context, receiver);
    const dialect = this.#package.chat(model, this.#settings);
    if (dialect === null) throw new SluiceError('model_not_found', { values: { model } });
    const dropped = refuseOrDrop(this.provider, unsupportedChatParameters(dialect, context), parameters);
    const options = callOptions(this.provider, dialect, request, model, dropped);
    const call = new ChatCall(this.provider, context, receiver, dialect.reasoning);
    this.#network.watch(call.signal, call);
    receiver.onConnecting(call);
    void call.run(() => this.#chatModel(model), options);
    return dropped;
  }

  native(protocol: ProtocolName, model: string): SendNative | null {
    return this.#relay?.native(protocol, model) ?? null;
  }

  /** Claude fetches nothing on other platforms than Anthropic's own. */
  fetchedMedia(model: string, protocol: ProtocolName): readonly MediaKind[] {
    if (protocol === 'messages') return [];
    if (protocol !== 'chat-completions') return ['image', 'document'];
    return this.#package.chat?.(model, this.#settings)?.fetchesImages === true ? ['image'] : [];
  }

  nativeEmbeddings(method: GeminiEmbeddingsMethod, model: string, requests: number): SendNative | null {
    return this.#relay?.nativeEmbeddings(method, model, requests) ?? null;
  }

  countTokens(protocol: ProtocolName, context: NativeContext, signal: AbortSignal): Promise<Buffer> | null {
    return this.#relay?.countTokens(protocol, context, signal) ?? null;
  }

  readsReasoning(model: string): boolean {
    return (this.#package.chat?.(model, this.#settings)?.reasoning ?? null) !== null;
  }

  /**
   * The package's models for the capabilities beside chat. The first call loads the package.
   * @throws SluiceError internal_error where the package cannot be loaded
   */
  models(): Promise<PackageModels> {
    this.#models ??= this.#load();
    return this.#models;
  }

  async listModels(): Promise<readonly string[]> {
    return (await this.#package.listModels?.(this.#packageContext())) ?? [];
  }

  async close(): Promise<void> {
    await Promise.all([this.#relay?.close(), this.#native?.close(), this.#video?.http.close()]);
    // Last: requests that wait for a token need it.
    await this.#network.close();
  }

  async #load(): Promise<PackageModels> {
    try {
      return await this.#package.load(this.#packageContext());
    } catch (cause) {
      this.#models = null;
      throw new SluiceError('internal_error', { cause });
    }
  }

  #packageContext(): PackageContext {
    return { settings: this.#settings, apiKey: this.#settings.apiKey ?? '', fetch: this.#network.fetch };
  }

  async #chatModel(model: string): Promise<LanguageModelV4> {
    const { chat } = await this.models();
    if (chat === undefined) throw new SluiceError('model_not_found', { values: { model } });
    return chat(model);
  }
}

/** Packages insert the model's name into the path unencoded. */
function named<Request>(send: Send<Request>): Send<Request> {
  return (context, receiver) => {
    requirePathName(context.model);
    return send(context, receiver);
  };
}

function unsupportedChatParameters(dialect: ChatDialect, { request, model }: ChatRequestContext): readonly string[] {
  const supports = (name: string): boolean => commonParameters.has(name) || dialect.supportedParams.includes(name);
  const unknown = unsupportedParameters(request, supports);
  const unsupported = dialect.unsupportedParams?.(request, model) ?? [];
  return unsupported.length === 0 ? unknown : [...unknown, ...unsupported];
}
