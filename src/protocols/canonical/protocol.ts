import type { SluiceError } from '../../errors/index.ts';
import type { GenerationRequest } from './generation-request.ts';
import type { GenerationResult } from './generation-result.ts';
import type { JsonObject } from './json-members.ts';
import type { ReportedError } from './reported-error.ts';
import type { FinishReason, StreamPart } from './stream-part.ts';
import type { Usage } from './usage.ts';

/** A wire format of text generation, as a client speaks it. */
export type ProtocolName = 'chat-completions' | 'completions' | 'responses' | 'messages' | 'gemini';

/** A member of a request that names an object at the provider: a file, a container, a cached content. */
export interface NamedObject {
  /** As `input[0].content[1].file_id`. */
  readonly path: string;
  readonly id: string;
  /** Whether only a provider that stores items finds it by its id. */
  readonly isItem?: true;
  /** Whether its member is not known to name objects: it looks as if it did. */
  readonly isUnknown?: true;
}

/** A tool that a provider runs, by the unit of its price. */
export type HostedTool = 'search' | 'file_search' | 'x_search' | 'code_execution';

/** A client's request in the canonical form. */
export interface DecodedRequest<Settings = null> {
  /** All of it that has an equivalent: its texts are moderated and their tokens estimated. Validated as a chat request. */
  readonly chat: GenerationRequest;
  /** Members without an equivalent, which only a provider of the same protocol receives. */
  readonly dropped: readonly string[];
  /** Why no provider of another protocol can serve it; null where any can. */
  readonly refusal: SluiceError | null;
  /** An operator's connection is shared: objects of other accounts must not be reached through it. */
  readonly providerObjects: readonly NamedObject[];
  /** Whether every server of the protocol takes it, not only the one that defines the protocol; true if absent. */
  readonly isCommon?: boolean;
  /** Tools that the provider runs and may bill by the call; none if absent. */
  readonly hostedTools?: readonly HostedTool[];
  /** What the encoder of the response needs to know of the request. Small: it stays in memory. */
  readonly settings: Settings;
}

/** Encodes one response in a client's protocol. */
export interface ResponseEncoder {
  /** Of a streamed response. */
  readonly contentType: string;
  /** @returns the events that these parts become; may be empty */
  encode(parts: readonly StreamPart[]): Buffer;
  /** The last events of a complete stream. @param costNano nano-USD; null if it is not known */
  end(costNano: bigint | null): Buffer;
  /** A complete response that is not streamed. */
  document(result: GenerationResult, costNano: bigint | null): Buffer;
  /** The last event of a stream that has begun and fails. */
  fail(error: SluiceError): Buffer;
}

/**
 * Reads what is metered from a stream that is relayed unchanged. It costs every request of the protocol: an event that has
 * only a delta is not parsed.
 */
export interface StreamObserver {
  /** @param events complete server-sent events: Latin-1, one character per byte */
  observe(events: string): void;
  /** The last usage reported; null for none. */
  readonly usage: Usage | null;
  /** Null before it is known. */
  readonly finishReason: FinishReason | null;
  /** Whether the response is complete. */
  readonly isDone: boolean;
  /** Whether an event ends a complete response, after which nothing follows. */
  readonly hasEndMark: boolean;
  /** Whether any event had output: before, another target can still take over. */
  readonly hasOutput: boolean;
  /** Set where the provider reports an error within its stream. */
  readonly error: ReportedError | null;
  /** As the provider reports it. */
  readonly model: string | null;
  /** By the provider's own name; null for none. */
  readonly serviceTier: string | null;
  /** Bytes of text, reasoning and arguments so far, approximately: for estimates. */
  readonly outputBytes: number;
  /** The response so far, as `ClientProtocol.obtainedObjects` reads it; absent where it names no objects. */
  readonly response?: JsonObject | null;
}
