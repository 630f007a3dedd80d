import type { ErrorCode } from '../../errors/index.ts';
import type { ProtocolName } from '../../protocols/canonical/protocol.ts';
import type { ClientResponse } from '../client-response.ts';
import type { EventIds } from '../event-id.ts';
import type { RequestInput } from '../request-input.ts';
import type { ContentLevel, ContentSettings, StoredLevel } from './content-level.ts';

export type { StoredLevel };

/** What the log needs to know of a request. */
export interface LoggedCapability {
  readonly name: string;
  readonly protocol?: ProtocolName;
}

/** What the log needs to know of a key. */
interface LoggableKey {
  readonly accountId: string;
  readonly zeroRetention?: boolean;
  readonly content?: ContentSettings;
}

/** What the log needs to know of a call. */
export interface LoggableCall extends EventIds {
  readonly key: LoggableKey;
  readonly response: ClientResponse;
  /** The content that may be stored at most, as the client asks; unlimited if absent or null. */
  readonly contentLevel?: ContentLevel | null;
  /** Set where a provider runs the request later. */
  readonly collect?: unknown;
  readonly asOperator?: boolean;
}

/** The logging of one request. */
export interface LoggedCall {
  readonly level: StoredLevel;
  /** Receives the response: the call's, or one that it writes to, so that it is logged as its client receives it. */
  readonly response: ClientResponse;
  /**
   * Called once the request has ended in any way, before the last bytes of its response are sent, if there are any.
   * @param errorCode null where it succeeded, and where its client disconnected
   */
  settled(errorCode: ErrorCode | null): void;
}

/** Logs the content of requests. Never waits and never throws. */
export interface ContentLog {
  /** Starts to log a call; null for one whose content is not logged. */
  start(capability: LoggedCapability, call: LoggableCall, input: RequestInput): LoggedCall | null;
}

/** Redacts content before it is stored, and replaces media by references. */
export interface ContentRedaction {
  /** False where `isClean` is for all. */
  readonly canBeClean: boolean;
  /** Whether redaction would change nothing in these bytes, which are valid JSON; false where that is not certain. */
  isClean(json: Buffer): boolean;
  /**
   * @param endOfTurn is awaited between turns of bounded length
   * @returns the redacted value, and how often each rule found something
   */
  redactInTurns(
    value: unknown,
    endOfTurn: () => Promise<void>,
  ): Promise<{ readonly value: unknown; readonly counts: Readonly<Record<string, number>> }>;
}

/** How the content of a call is logged. */
export interface ContentPolicy {
  readonly level: StoredLevel;
  readonly redaction: ContentRedaction;
  readonly isSearchable: boolean;
}

/** Decides what is logged. */
export interface ContentPolicies {
  /** Null where the content of a call is not logged. Called for each request. */
  of(call: LoggableCall): ContentPolicy | null;
}

export interface RedactedContent {
  readonly level: StoredLevel;
  /** JSON of a `LoggedDocument`. */
  readonly document: Buffer;
  readonly redactions: Readonly<Record<string, number>>;
  /** Redacted text to search in; null where the account has no search. Without NUL and lone surrogates. */
  readonly searchText: string | null;
}

/** The content of a request, redacted. */
export interface FinishedContent extends RedactedContent {
  readonly eventId: string;
  readonly accountId: string;
}

/** What is logged of a request. */
export interface LoggedDocument {
  /** The client's JSON body; the fields of a form. */
  readonly request: unknown;
  /** The response as one document, also where it was streamed; null where there was none. */
  readonly response: unknown;
  /** Set where the request failed. */
  readonly error: LoggedError | null;
  /** Whether the response is complete: false where the client disconnected, or the response was interrupted. */
  readonly isComplete: boolean;
}

/** Why a request failed. */
export interface LoggedError {
  readonly code: string;
  /** Null where the response contains it, because it had begun. */
  readonly message: string | null;
}

/** Stores content. */
export interface ContentStore {
  /**
   * Idempotent by event. What fails for one account does not affect others, and what is slow delays others only briefly.
   * @throws when nothing was stored
   */
  store(batch: readonly FinishedContent[]): Promise<StoreResult>;
}

/** What was not stored of a batch. */
export interface StoreResult {
  /** Why, by account. */
  readonly failed: ReadonlyMap<string, unknown>;
  /** What cannot be stored at any time. */
  readonly rejected: RejectedContents;
  /** What is still being stored, by account. */
  readonly late: ReadonlyMap<string, LateContent>;
}

/** Why single contents of an account are refused, although others of it are stored: by event. */
export type RejectedContents = ReadonlyMap<string, unknown>;

/** The content of an account, which takes longer than others. */
export interface LateContent {
  /** Resolves with what is refused of it; rejects where it cannot be stored. */
  readonly stored: Promise<RejectedContents>;
  /** Content that is not stored yet will not be; `stored` resolves once nothing is done for it any more. */
  abandon(): void;
}

/** Records which content was dropped, as durably as usage is. */
export interface DropLog {
  add(eventId: string, accountId: string): void;
  /** Resolves once what was added before is stored. @throws where that fails */
  flush(): Promise<void>;
}
