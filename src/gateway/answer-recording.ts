import type { StreamPart } from '../protocols/canonical/stream-part.ts';
import type { CompletionStore } from './capabilities/chat/storage/completion-store.ts';
import type { KeyRecord } from './keys/key-directory.ts';

/** Records the response to one request as the provider sends it, so that it can be stored for the account. Never throws. */
export interface AnswerRecording {
  /** Starts an attempt, and discards what an earlier one recorded. */
  restart(): void;
  /** Bytes of a stream. The relay may write into them afterwards. */
  append(bytes: Buffer): void;
  /** The same of a stream that is delivered as parts. */
  appendParts(parts: readonly StreamPart[]): void;
  /**
   * Output for the client, with the id that the response is stored by.
   * @param isStream whether it is complete events, and not a document
   */
  named(output: Buffer, isStream: boolean): Buffer;
  /**
   * Stores the complete response, once it is sent to the client.
   * @param document of an unstreamed response; null for the recorded stream
   * @param costNano nano-USD; null if it is not known
   */
  store(document: Buffer | null, costNano: bigint | null): void;
}

/** How a capability records its responses. */
export interface RecordingSupport<Request> {
  /** Whether a request asks to store its response. */
  isRequested(request: Request): boolean;
  start(request: Request, context: RecordingContext): AnswerRecording;
}

/** What a recording needs to know beside the request. */
export interface RecordingContext {
  readonly eventId: string;
  readonly key: KeyRecord;
  /** The complete body, where the request was parsed from an outline of it, which truncates texts; else null. */
  readonly outlinedBody: Buffer | null;
  readonly store: CompletionStore;
  readonly log: { warn(fields: object, message: string): void };
}
