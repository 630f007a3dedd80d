import type { ErrorCode, SluiceError } from '../../errors/index.ts';
import type { ProtocolName } from '../../protocols/canonical/protocol.ts';
import type { ClientResponse } from '../client-response.ts';
import type { RequestInput } from '../request-input.ts';
import { CapturedResponse, type AnswerObserver } from './captured-response.ts';
import type { ContentBudget, ContentShare } from './content-budget.ts';
import type { ContentPolicy, LoggableCall, LoggedCall, LoggedCapability, LoggedError } from './content-log.ts';
import { RecordedAnswer } from './recorded-answer.ts';
import { recordedRequest, restoreModel, type RecordedRequest } from './recorded-request.ts';
import type { QueuedContent } from './queue/waiting-contents.ts';

/** Of a text that is logged: longer ones are replaced by their length. A longer JSON text takes too long to parse. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
/** Of the objects that record a request, approximately. */
const RECORD_BYTES = 2_048;

/** What captures report to. */
export interface CaptureOwner {
  readonly budget: ContentBudget;
  /** The request has ended. */
  finished(capture: ContentCapture): void;
  /** The request has ended; its response may still be sent in this turn. */
  settled(capture: ContentCapture): void;
  /** There was no memory for it. Nothing more is recorded. */
  dropped(capture: ContentCapture): void;
}

/** Records the content of one request: its body, and its response while it is sent. An error of it ends only the recording. */
export class ContentCapture implements AnswerObserver, QueuedContent {
  readonly eventId: string;
  readonly accountId: string;
  readonly protocol: ProtocolName | null;
  readonly policy: ContentPolicy;
  readonly answer: RecordedAnswer = new RecordedAnswer(MAX_TEXT_BYTES);
  /** Null once it is dropped. */
  request: RecordedRequest | null = null;
  error: SluiceError | null = null;
  /** Whether the client received the complete response of a request that succeeded. */
  isComplete = false;
  isEnded = false;
  readonly #owner: CaptureOwner;
  readonly #share: ContentShare;
  #errorCode: ErrorCode | null = null;
  /** Bytes that it has of the budget. */
  #reserved = 0;
  #isOver = false;

  constructor(
    owner: CaptureOwner,
    capability: LoggedCapability,
    call: LoggableCall,
    input: RequestInput,
    policy: ContentPolicy,
  ) {
    this.#owner = owner;
    this.eventId = call.eventId;
    this.accountId = call.key.accountId;
    this.protocol = capability.protocol ?? null;
    this.policy = policy;
    this.#share = owner.budget.shareOf(this.accountId);
    this.record(setRequest, input);
  }

  /** Bytes in memory. */
  get size(): number {
    return this.#reserved;
  }

  own(): void {
    this.answer.own();
  }

  /** Why the request failed; null where it did not. */
  get loggedError(): LoggedError | null {
    if (this.error !== null) return { code: this.error.code, message: this.error.message };
    return this.#errorCode && { code: this.#errorCode, message: null };
  }

  /**
   * The logging of its request. A capture that waits to be stored does not refer to the request: all that belongs to one would
   * stay in memory with it, and be moved by the garbage collector.
   */
  observe(response: ClientResponse): LoggedCall {
    const captured = (inner: ClientResponse): ClientResponse => new CapturedResponse(inner, this);
    return {
      level: this.policy.level,
      // Innermost, where responses are in the client's own protocol. What is dropped already needs no response.
      response: this.#isOver || response.intercept?.(captured) === true ? response : captured(response),
      settled: (errorCode) => this.#settled(errorCode),
    };
  }

  #settled(errorCode: ErrorCode | null): void {
    this.#errorCode = errorCode;
    if (!this.#isOver) this.#owner.settled(this);
  }

  /** Runs a step of the recording, and takes the memory that it needs. */
  record<Given>(step: (capture: this, given: Given) => void, given: Given): void {
    if (this.#isOver) return;
    try {
      step(this, given);
      const size = RECORD_BYTES + (this.request?.size ?? 0) + this.answer.size;
      if (this.#reserve(size - this.#reserved)) return;
    } catch {
      // A response that cannot be recorded must still be sent.
    }
    this.#isOver = true;
    this.release();
    this.#owner.dropped(this);
  }

  /** The response has ended. Later calls have no effect. */
  finish(isEnded: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.isComplete = isEnded && this.#errorCode === null;
    if (this.request !== null) restoreModel(this.request);
    this.#owner.finished(this);
  }

  /** Releases the original. Its redacted form takes as much, which is counted until `release`. */
  releaseOriginal(): void {
    this.request = null;
    this.answer.release();
  }

  /** Releases the memory. */
  release(): void {
    this.releaseOriginal();
    this.#share.free(this.#reserved);
    this.#reserved = 0;
  }

  /**
   * Releases the memory, except some: in one step, because another account may use what is freed before it is taken again.
   * @param bytes fewer than `size` @returns the share in which the caller frees them
   */
  releaseExcept(bytes: number): ContentShare {
    this.releaseOriginal();
    this.#share.free(this.#reserved - bytes);
    this.#reserved = 0;
    return this.#share;
  }

  #reserve(bytes: number): boolean {
    if (bytes !== 0 && !this.#share.take(bytes)) return false;
    this.#reserved += bytes;
    return true;
  }
}

function setRequest(capture: ContentCapture, input: RequestInput): void {
  capture.request = recordedRequest(input, MAX_TEXT_BYTES);
}
