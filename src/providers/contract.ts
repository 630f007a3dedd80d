import type { buildConnector } from 'undici';
import type { SluiceError } from '../errors/index.ts';
import type { GenerationResult } from '../protocols/canonical/generation-result.ts';
import type { StreamPart } from '../protocols/canonical/stream-part.ts';
import type { GenerationRequest } from '../protocols/canonical/generation-request.ts';
import type { BatchService, Transport } from './shared/batches/batch-service.ts';
import type { EmbeddingsRequest } from './shared/embeddings/embeddings-request.ts';
import type { DataPolicySettings } from './shared/terms/data-policy.ts';
import type { ParameterPolicy } from '../protocols/canonical/parameter-policy.ts';
import type { ProtocolName } from '../protocols/canonical/protocol.ts';
import type { Usage } from '../protocols/canonical/usage.ts';
import type { ImagesRequest } from './shared/media/images-request.ts';
import type { ModerationRequest } from './shared/moderation/moderation-request.ts';
import type { StoreReasoning } from '../protocols/canonical/reasoning-details.ts';
import type { RerankRequest } from './shared/rerank/rerank-request.ts';
import type { SpeechRequest } from './shared/media/speech-request.ts';
import type { TranscriptionRequest } from './shared/media/transcription-request.ts';
import type { VideoService } from './shared/jobs/video-jobs.ts';

/** Names in lower case. */
export type HeaderMap = Readonly<Record<string, string | string[] | undefined>>;

/** One call to a provider. One object per attempt. */
export interface CallContext<Request> {
  /** The provider's own model name, without our `provider/` prefix. */
  readonly model: string;
  /** The client's JSON body, unchanged; null for a form. The connection may overwrite members that it sets itself. */
  readonly body: Buffer | null;
  /** The same, parsed and validated. Shared: never written to. */
  readonly request: Request;
  /** Whether the response is streamed. */
  readonly stream: boolean;
  readonly requestId: string;
  readonly parameters: ParameterPolicy;
}

export interface ChatRequestContext extends CallContext<GenerationRequest> {
  readonly body: Buffer;
  /** Whether the client set `stream_options.include_usage`. */
  readonly wantsUsage: boolean;
  /**
   * The request with long texts truncated, for connections that relay a long prompt unchanged: `request` is then parsed only
   * when it is read. Absent if it is already parsed.
   */
  readonly outline?: GenerationRequest;
  /** For clients that do not send a response's `reasoning_details` back; absent if nothing is retained. */
  readonly storeReasoning?: StoreReasoning | undefined;
}

/**
 * Sends one call. The provider's response, errors included, goes to the receiver in OpenAI's wire format.
 * @returns the names of the dropped parameters
 * @throws SluiceError of status 400 for unsupported values, before anything is sent
 */
export type Send<Request> = (context: CallContext<Request>, receiver: UpstreamReceiver) => readonly string[];

/** A request in the client's own protocol, for a provider that serves it. */
export interface NativeContext {
  /** The provider's own model name, without our `provider/` prefix. */
  readonly model: string;
  /** As the client sent it. The connection replaces the model's name, where it is in the body, and nothing else. */
  readonly body: Buffer;
  readonly stream: boolean;
  readonly requestId: string;
  /** Headers of the client that its protocol forwards: names and values in turn. */
  readonly headers: readonly string[];
  /** The parameters of the client's URL that its protocol forwards: `beta=true`; empty for none. */
  readonly query: string;
  /** For what the provider does not support. */
  readonly parameters: ParameterPolicy;
  /** Absent or null where the client sent it over HTTP. */
  readonly turn?: SocketTurn | null;
}

/** A request that a client sent over a WebSocket, for providers that have WebSockets, too. */
export interface SocketTurn {
  /** One per socket of a client, aborted when it closes: what is opened for it closes then. */
  readonly session: AbortSignal;
  /** The stream of the socket that it belongs to; null for the one without a name. */
  readonly streamId: string | null;
  /** What the message of a socket has in place of members of the body, as JSON; null for none. */
  readonly members: Readonly<Record<string, string | null>>;
  /** The connection whose socket received the last attempt, and holds its response then; null for none. */
  holder: string | null;
}

/**
 * Sends a request in the client's own protocol. The response's bytes go to the receiver as they arrive.
 * @returns the names of what the provider was not sent
 * @throws SluiceError of status 400, before anything is sent
 */
export type SendNative = (context: NativeContext, receiver: UpstreamReceiver) => readonly string[];

/** Google's methods for embeddings. */
export type GeminiEmbeddingsMethod = 'embedContent' | 'batchEmbedContents';

/** A request about an object that the provider holds: a response, a conversation. */
export interface ObjectRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** After the base URL, percent-encoded, with its query: `/responses/resp_1/input_items?limit=20`. */
  readonly path: string;
  /** JSON, of a `POST`. */
  readonly body?: Buffer;
}

/** What a provider offers in addition to chat. An unsupported service is absent. */
export interface Services {
  readonly embeddings?: Send<EmbeddingsRequest>;
  readonly moderation?: Send<ModerationRequest>;
  readonly images?: Send<ImagesRequest>;
  /** Responds with the audio as it arrives, or with OpenAI's speech events. */
  readonly speech?: Send<SpeechRequest>;
  readonly transcription?: Send<TranscriptionRequest>;
  /** Responds in the format of Cohere and Jina. */
  readonly rerank?: Send<RerankRequest>;
  /** Jobs that take minutes and are polled. */
  readonly video?: VideoService;
}

/** The handle of a response in progress. */
export interface Upstream {
  pause(): void;
  resume(): void;
  /** Closes the provider's socket. No further call reaches the receiver. */
  abort(): void;
  /** Whether the request may have reached the provider; true if absent. */
  readonly isSent?: boolean | undefined;
  /** The headers of the provider's response, errors included; null or absent before it, and where they are not known. */
  readonly responseHeaders?: HeaderMap | null | undefined;
  /**
   * What a request that is several calls of the provider has used so far; null for nothing, absent where it is one call.
   * @param isDisconnected whether the client has disconnected: the input of calls without output counts, too
   */
  used?(isDisconnected: boolean): UsedSoFar | null;
}

/** What several calls of a provider have used, those that are in progress included. */
export interface UsedSoFar {
  readonly usage: Usage;
  /** Whether part of the usage is estimated. */
  readonly isEstimated: boolean;
  /** Whether one of them is complete: it is billed even if the client receives nothing. */
  readonly hasResponse: boolean;
  /** As the provider reports it; null where it has not. */
  readonly model: string | null;
}

/**
 * Receives a provider's response. Order: `onConnecting`, then at most one `onHead`, any `onData`, and exactly one of `onEnd`
 * and `onFailure`, unless aborted. `onHead` reports success only: an error of the provider is an `onFailure`. The body has
 * OpenAI's wire format: a JSON document, SSE events, or media.
 */
export interface UpstreamReceiver {
  /** Called before anything is sent, so that the call can be aborted at any time. */
  onConnecting(upstream: Upstream): void;
  /** The request is on a socket. A connection that cannot detect this calls it when it starts to dial. */
  onSent?(): void;
  onHead(status: number, headers: HeaderMap): void;
  onData(bytes: Buffer): void;
  onEnd(): void;
  onFailure(error: SluiceError): void;
}

/** The content type of a streamed response that is delivered as parts, not as bytes. Never sent or received. */
export const STREAM_PARTS = 'application/x.stream-parts';

/** Receives a response to a chat. */
export interface ChatReceiver extends UpstreamReceiver {
  /**
   * Called instead of `onData` for a stream of a provider with another protocol, announced by `STREAM_PARTS`.
   * @param parts for the receiver to keep
   */
  onParts(parts: StreamPart[]): void;
  /** Called once instead of `onData` for a response of a provider with another protocol that is not streamed. */
  onResult(result: GenerationResult): void;
}

/** Media that a request may contain by their URL. */
export type MediaKind = 'image' | 'document';

/** A configured connection to a provider: credentials, base URL, services. */
export interface Connection {
  /** Unique in this process: the provider's id, or the id of an account's own connection. */
  readonly id: string;
  /** The prefix of its models: `openai` in `openai/gpt-5.5`. */
  readonly provider: string;
  /** Whether the provider charges for requests: false for the sandbox and for self-hosted servers. */
  readonly billed: boolean;
  /** Whether it serves only listed models; absent means no: a provider's newest models are in no catalogue. */
  readonly servesOnlyListedModels?: boolean;
  /**
   * Sends a chat request. The provider's response, errors included, goes to the receiver.
   * @returns the names of the dropped parameters
   * @throws SluiceError of status 400 for unsupported values, before anything is sent
   */
  chat(context: ChatRequestContext, receiver: ChatReceiver): readonly string[];
  /** Sends requests of another protocol than Chat Completions as they are; absent or null where it serves none for the model. */
  native?(protocol: ProtocolName, model: string): SendNative | null;
  /**
   * The media that the provider fetches itself if a request has their URL: of others it is sent the content. If absent, images
   * in converted requests, and all media in the provider's own protocol.
   * @param protocol in which the request is sent, `chat-completions` where it is converted
   */
  fetchedMedia?(model: string, protocol: ProtocolName): readonly MediaKind[];
  /** Whether it stores what `native` sends of OpenAI's Responses; true if absent. */
  readonly storesResponses?: boolean;
  /**
   * Sends embeddings requests of Google's Gemini API with all that they say, and answers in its format; absent or null where the
   * model has no such method.
   * @param requests how many there are in the batch: a provider may have a limit
   */
  nativeEmbeddings?(method: GeminiEmbeddingsMethod, model: string, requests: number): SendNative | null;
  /**
   * Counts the input tokens of a request of another protocol than Chat Completions; absent or null where it does not.
   * @returns the provider's response, unchanged
   * @throws SluiceError provider_*, and the signal's reason once it is aborted, as the promise's rejection
   */
  countTokens?(protocol: ProtocolName, context: NativeContext, signal: AbortSignal): Promise<Buffer> | null;
  /** Sends a request about an object that it holds; absent where it holds none. The response's bytes go to the receiver. */
  sendObject?(request: ObjectRequest, receiver: UpstreamReceiver): void;
  /** The maximum number of web searches that a model makes when the request does not enable search; absent means 0. */
  maxImplicitSearches?(model: string): number;
  /** Whether a model receives the `reasoning_details` of earlier messages; absent means never. */
  readsReasoning?(model: string): boolean;
  /** Whether its models sign the text of a response too. */
  readonly signsText?: boolean;
  readonly services: Services;
  /** Its batch API; absent where it has none. */
  readonly batches?: BatchService;
  /** The same connection, whose requests a transport carries. Present where `batches` is. */
  through?(transport: Transport): Connection;
  /** Model names that the provider lists, without prefix. @throws SluiceError provider_* */
  listModels(): Promise<readonly string[]>;
  /** Closes idle sockets. Responses in progress continue until they end or are aborted. */
  close(): Promise<void>;
}

/** The settings of a connection. */
export interface ConnectionSettings {
  /** As `Connection.id`. */
  readonly id: string;
  readonly apiKey: string | undefined;
  /** With its version path: `https://api.openai.com/v1`. Defaults to the provider's own. */
  readonly baseUrl: string | undefined;
  readonly connectTimeoutMs: number;
  /** As `Connection.billed`; defaults to the provider's declaration. */
  readonly billed?: boolean | undefined;
  /** Provider-specific options: `region`, `project`, `api_version`, … */
  readonly options: Readonly<Record<string, string>>;
  /** Where the requests are processed, as the owner of the connection states it. */
  readonly region?: string | undefined;
  /** What the owner of the connection states of the provider's use of data. */
  readonly dataPolicy?: DataPolicySettings | undefined;
  /** Replaces undici's connector, for base URLs that the operator did not set. */
  readonly dial?: buildConnector.connector | undefined;
  /** Carries its requests in place of sockets. */
  readonly transport?: Transport | undefined;
  /** Dials addresses that the provider's responses contain, always guarded. If absent, none is requested. */
  readonly foreignDial?: buildConnector.connector | undefined;
}

/** A provider-specific option. */
export interface ProviderOption {
  /** The key in `ConnectionSettings.options`. */
  readonly name: string;
  readonly isSecret: boolean;
  /** Shown to the person who fills it in. */
  readonly description: string;
}

/** A registered provider. Opening a connection dials nothing. */
export interface ProviderDeclaration {
  /** Lower-case letters, digits and dashes: the prefix of its models, and with `_API_KEY` its variable. */
  readonly id: string;
  /** Further prefixes of its models. */
  readonly providerAliases?: readonly string[];
  /** Display name. */
  readonly name: string;
  /** The documentation page that the implementation follows; `unverified` if there is none. */
  readonly documentation: string;
  /** Null if it must be configured. */
  readonly baseUrl: string | null;
  /** A local server needs no key. */
  readonly needsKey: boolean;
  /** A self-hosted server: its requests are not billed. */
  readonly selfHosted?: boolean;
  /** Prefixes of model names that its API treats as optional: `models/`. In lower case. */
  readonly modelPrefixes?: readonly string[];
  /** The options that it reads from `ConnectionSettings.options`. */
  readonly options?: readonly ProviderOption[];
  /** Where the sources of the catalogue list its models, if not under its id. */
  readonly catalogueSources?: CatalogueSources;
  /** @throws SettingsError naming what is missing */
  open(settings: ConnectionSettings): Connection;
}

/** A provider's names in the files from which the catalogue is imported. */
export interface CatalogueSources {
  /** Ids in models.dev, of which the first that exists is read; our id if absent. */
  readonly modelsDev?: readonly string[];
  /** The name of its file of media prices, without `.json`; none is read if absent. */
  readonly mediaPrices?: string;
  /** Whether the image prices of that file are in USD; all other prices are in US cents. */
  readonly mediaInDollars?: boolean;
  /** Whether the discount of its batch API applies to the rates of its cache too, which that file does not state. */
  readonly batchDiscountsCache?: boolean;
}

/** Why a connection cannot be opened, as a message for the operator. */
export class SettingsError extends Error {}
