import type { buildConnector } from 'undici';
import type { SluiceError } from '../errors/index.ts';
import type { ChatRequest } from './shared/chat-request.ts';

/** Names in lower case. */
export type HeaderMap = Readonly<Record<string, string | string[] | undefined>>;

/** What becomes of a parameter that a provider cannot take: the call is refused by its name, or it is left out and named. */
export type ParameterPolicy = 'strict' | 'drop';

/** What a provider needs to know of one chat call. One object per attempt. */
export interface ChatRequestContext {
  /** The provider's own model name, without our `provider/` prefix. */
  readonly model: string;
  /** The caller's JSON body as it came. The connection may overwrite members in it that it sets itself. */
  readonly body: Buffer;
  /** The same, parsed and validated: OpenAI's chat request. Shared: never written to. */
  readonly request: ChatRequest;
  readonly stream: boolean;
  /** Whether the caller asked for `stream_options.include_usage`. */
  readonly wantsUsage: boolean;
  readonly requestId: string;
  readonly parameters: ParameterPolicy;
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
 * `onEnd` and `onFailure`, unless aborted. `onHead` tells of success only: a provider's refusal comes as `onFailure`. A body is OpenAI's chat wire format: a JSON document, or SSE events.
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
  /** False for the sandbox: never billed, and said to be no AI model. */
  readonly billed: boolean;
  /**
   * Sends a chat. Everything that the provider answers, its refusals too, goes to the receiver.
   * @returns the names of the parameters that were left out
   * @throws SluiceError of status 400 for what the provider cannot take, before anything is sent
   */
  chat(context: ChatRequestContext, receiver: UpstreamReceiver): readonly string[];
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
  /** What only this provider has: `region`, `project`, `api_version` ... */
  readonly options: Readonly<Record<string, string>>;
  /** Dials in place of undici: for base URLs that are not the operator's. */
  readonly dial?: buildConnector.connector | undefined;
}

/** A provider as it is registered. Opening a connection dials nothing. */
export interface ProviderDeclaration {
  /** Lower-case letters, digits and dashes: the prefix of its models, and with `_API_KEY` its variable. */
  readonly id: string;
  /** Further prefixes of its models. */
  readonly alsoKnownAs?: readonly string[];
  /** For people. */
  readonly name: string;
  /** The page of its documentation that this follows; `unverified` where there was none to read. */
  readonly documentation: string;
  /** Null: it has none of its own, and must be told one. */
  readonly baseUrl: string | null;
  /** A local server needs no key. */
  readonly needsKey: boolean;
  /** @throws SettingsError naming what is missing */
  open(settings: ConnectionSettings): Connection;
}

/** What a connection lacks to be opened, in words for the operator. */
export class SettingsError extends Error {}
