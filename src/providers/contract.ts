import type { SluiceError } from '../errors/index.ts';

/** Names in lower case. */
export type HeaderMap = Readonly<Record<string, string | string[] | undefined>>;

/** What a provider needs to know of one chat call. One object per attempt. */
export interface ChatRequestContext {
  /** The provider's own model name, without our `provider/` prefix. */
  readonly model: string;
  /** The caller's JSON body as it came. The connection may overwrite members in it that it sets itself. */
  readonly body: Buffer;
  /** The same, parsed and validated: OpenAI's chat request. Shared: never written to. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly stream: boolean;
  /** Whether the caller asked for `stream_options.include_usage`. */
  readonly wantsUsage: boolean;
  readonly requestId: string;
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
  onHead(status: number, headers: HeaderMap): void;
  onData(bytes: Buffer): void;
  onEnd(): void;
  onFailure(error: SluiceError): void;
}

/** One configured way to a provider: credentials, base URL, what it serves. */
export interface Connection {
  /** The prefix of its models: `openai` in `openai/gpt-5.5`. */
  readonly provider: string;
  /** False for the sandbox: never billed, and said to be no AI model. */
  readonly billed: boolean;
  chat(context: ChatRequestContext, receiver: UpstreamReceiver): void;
  /** Model names that the provider itself lists, without prefix. @throws SluiceError provider_* */
  listModels(): Promise<readonly string[]>;
  /** Ends idle sockets. Open answers go on until they end or are aborted. */
  close(): Promise<void>;
}
