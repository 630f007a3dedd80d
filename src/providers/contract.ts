import type { buildConnector } from 'undici';
import type { SluiceError } from '../errors/index.ts';
import type { ChatRequest } from './shared/chat-request.ts';
import type { EmbeddingsRequest } from './shared/embeddings-request.ts';
import type { ImagesRequest } from './shared/images-request.ts';
import type { ModerationRequest } from './shared/moderation-request.ts';
import type { KeepReasoning } from './shared/reasoning-details.ts';
import type { RerankRequest } from './shared/rerank-request.ts';
import type { SpeechRequest } from './shared/speech-request.ts';
import type { TranscriptionRequest } from './shared/transcription-request.ts';
import type { VideoService } from './shared/video-jobs.ts';

/** Names in lower case. */
export type HeaderMap = Readonly<Record<string, string | string[] | undefined>>;

/** What becomes of a parameter that a provider cannot take: the call is refused by its name, or it is left out and named. */
export type ParameterPolicy = 'strict' | 'drop';

/** What a provider needs to know of one call. One object per attempt. */
export interface CallContext<Request> {
  /** The provider's own model name, without our `provider/` prefix. */
  readonly model: string;
  /** The caller's JSON body as it came; null for a form. The connection may overwrite members in it that it sets itself. */
  readonly body: Buffer | null;
  /** The same, parsed and validated. Shared: never written to. */
  readonly request: Request;
  /** Whether the answer is to come in parts. */
  readonly stream: boolean;
  readonly requestId: string;
  readonly parameters: ParameterPolicy;
}

export interface ChatRequestContext extends CallContext<ChatRequest> {
  readonly body: Buffer;
  /** Whether the caller asked for `stream_options.include_usage`. */
  readonly wantsUsage: boolean;
  /**
   * For who passes a long prompt on as it is: the request with its long texts cut short. `request` is parsed only when it is
   * read, then. Absent where it is parsed already.
   */
  readonly outline?: ChatRequest;
  /** For clients that do not send an answer's `reasoning_details` back; absent where nothing is kept. */
  readonly keepReasoning?: KeepReasoning | undefined;
}

/**
 * Sends one call. Everything that the provider answers, its refusals too, goes to the receiver, in OpenAI's wire format.
 * @returns the names of the parameters that were left out
 * @throws SluiceError of status 400 for what the provider cannot take, before anything is sent
 */
export type Send<Request> = (context: CallContext<Request>, receiver: UpstreamReceiver) => readonly string[];

/** What a provider may do beside chat. A service that it does not have is absent. */
export interface Services {
  readonly embeddings?: Send<EmbeddingsRequest>;
  readonly moderation?: Send<ModerationRequest>;
  readonly images?: Send<ImagesRequest>;
  /** Answers with the audio itself, as it comes; or with OpenAI's events of it. */
  readonly speech?: Send<SpeechRequest>;
  readonly transcription?: Send<TranscriptionRequest>;
  /** Answers in Cohere's and Jina's form. */
  readonly rerank?: Send<RerankRequest>;
  /** Jobs of minutes, that are asked for again. */
  readonly video?: VideoService;
}

/** The handle on an answer under way. */
export interface Upstream {
  pause(): void;
  resume(): void;
  /** Closes the provider's socket. No further call reaches the receiver. */
  abort(): void;
}

/**
 * Takes a provider's answer as it comes. Order: `onConnecting`, then at most one `onHead`, any `onData`, and exactly one of
 * `onEnd` and `onFailure`, unless aborted. `onHead` tells of success only: a provider's refusal comes as `onFailure`. A body is of OpenAI's wire format: a JSON document, SSE events, or media.
 */
export interface UpstreamReceiver {
  /** Called before anything is sent, so that the call can be aborted from its first moment. */
  onConnecting(upstream: Upstream): void;
  /** The request is on a socket. A connection that cannot tell calls it when it begins to dial. */
  onSent?(): void;
  onHead(status: number, headers: HeaderMap): void;
  onData(bytes: Buffer): void;
  onEnd(): void;
  onFailure(error: SluiceError): void;
}

/** One configured way to a provider: credentials, base URL, what it serves. */
export interface Connection {
  /** One of a kind in this process: the provider's id, or an account's own connection. */
  readonly id: string;
  /** The prefix of its models: `openai` in `openai/gpt-5.5`. */
  readonly provider: string;
  /** Whether its provider charges for requests: false for the sandbox, and for servers of one's own. */
  readonly billed: boolean;
  /** Whether it has the models that are listed and no other; absent for no: a provider's newest are in no catalogue. */
  readonly servesOnlyListedModels?: boolean;
  /**
   * Sends a chat. Everything that the provider answers, its refusals too, goes to the receiver.
   * @returns the names of the parameters that were left out
   * @throws SluiceError of status 400 for what the provider cannot take, before anything is sent
   */
  chat(context: ChatRequestContext, receiver: UpstreamReceiver): readonly string[];
  /** How many searches of the web a chat of a model makes at most though it asks for none; absent for none. */
  maxImplicitSearches?(model: string): number;
  /** Whether chats of a model are sent the `reasoning_details` of earlier messages; absent for none. */
  readsReasoning?(model: string): boolean;
  readonly services: Services;
  /** Model names that the provider itself lists, without prefix. @throws SluiceError provider_* */
  listModels(): Promise<readonly string[]>;
  /** Ends idle sockets. Open answers go on until they end or are aborted. */
  close(): Promise<void>;
}

/** What is configured of a connection. */
export interface ConnectionSettings {
  /** As `Connection.id`. */
  readonly id: string;
  readonly apiKey: string | undefined;
  /** With its version path: `https://api.openai.com/v1`. The provider's own where absent. */
  readonly baseUrl: string | undefined;
  readonly connectTimeoutMs: number;
  /** As `Connection.billed`; as its declaration has it where absent. */
  readonly billed?: boolean | undefined;
  /** What only this provider has: `region`, `project`, `api_version` ... */
  readonly options: Readonly<Record<string, string>>;
  /** Dials in place of undici: for base URLs that are not the operator's. */
  readonly dial?: buildConnector.connector | undefined;
  /** Dials addresses that the provider's answers name, always under guard. Absent: none of them is called. */
  readonly foreignDial?: buildConnector.connector | undefined;
}

/** A setting that only some providers have. */
export interface ProviderOption {
  /** As `ConnectionSettings.options` has it. */
  readonly name: string;
  readonly isSecret: boolean;
  /** What it is, for who fills it in. */
  readonly description: string;
}

/** A provider as it is registered. Opening a connection dials nothing. */
export interface ProviderDeclaration {
  /** Lower-case letters, digits and dashes: the prefix of its models, and with `_API_KEY` its variable. */
  readonly id: string;
  /** Further prefixes of its models. */
  readonly providerAliases?: readonly string[];
  /** For people. */
  readonly name: string;
  /** The page of its documentation that this follows; `unverified` where there was none to read. */
  readonly documentation: string;
  /** Null: it has none of its own, and must be told one. */
  readonly baseUrl: string | null;
  /** A local server needs no key. */
  readonly needsKey: boolean;
  /** A server that whoever uses it runs: nobody charges for its requests. */
  readonly selfHosted?: boolean;
  /** What its API puts before names of models, and takes with or without: `models/`. In lower case. */
  readonly modelPrefixes?: readonly string[];
  /** What `ConnectionSettings.options` may say to it. */
  readonly options?: readonly ProviderOption[];
  /** @throws SettingsError naming what is missing */
  open(settings: ConnectionSettings): Connection;
}

/** What a connection lacks to be opened, in words for the operator. */
export class SettingsError extends Error {}
