import type { SluiceError } from '../../errors/index.ts';
import type { GenerationResult } from '../../protocols/canonical/generation-result.ts';
import type { StreamPart } from '../../protocols/canonical/stream-part.ts';
import type { ClientResponse, ResponseHead, ResponseTarget } from '../client-response.ts';
import { ForwardingResponse } from '../forwarding-response.ts';
import { endWith, writeOutput } from '../relayed-output.ts';
import type { RecordedAnswer } from './recorded-answer.ts';

/** Observes a response. */
export interface AnswerObserver {
  /** Why the request failed. */
  error: SluiceError | null;
  /** Runs a step of the recording, and takes the memory that it needs. */
  record<Given>(step: (observer: Recorded, given: Given) => void, given: Given): void;
  /** The response has ended. @param isEnded whether as it should */
  finish(isEnded: boolean): void;
}

interface Recorded {
  readonly answer: RecordedAnswer;
}

/** A response that passes all on at once, and to the log. */
export class CapturedResponse extends ForwardingResponse {
  readonly #capture: AnswerObserver;

  constructor(response: ClientResponse, capture: AnswerObserver) {
    super(response);
    this.#capture = capture;
  }

  override head(head: ResponseHead): void {
    this.#capture.record(setContentType, head.contentType);
    this.response.head(head);
  }

  write(bytes: Buffer): boolean {
    this.#capture.record(append, bytes);
    return this.response.write(bytes);
  }

  writeParts(parts: readonly StreamPart[]): boolean {
    this.#capture.record(appendParts, parts);
    return writeOutput(this.response, parts);
  }

  end(bytes: Buffer | null, costNano: bigint | null): void {
    if (bytes !== null) this.#capture.record(appendLast, bytes);
    this.response.end(bytes, costNano);
    this.#capture.finish(true);
  }

  endResult(result: GenerationResult, costNano: bigint | null): void {
    this.#capture.record(setResult, result);
    endWith(this.response, result, costNano);
    this.#capture.finish(true);
  }

  override fail(error: SluiceError, routed: ResponseTarget | null): void {
    this.#capture.error = error;
    this.response.fail(error, routed);
    this.#capture.finish(false);
  }

  override abort(): void {
    this.response.abort();
    this.#capture.finish(false);
  }
}

// Not made for each response.
const setContentType = ({ answer }: Recorded, contentType: string): void => answer.setContentType(contentType);
const append = ({ answer }: Recorded, bytes: Buffer): void => answer.append(bytes);
const appendParts = ({ answer }: Recorded, parts: readonly StreamPart[]): void => answer.appendParts(parts);
const appendLast = ({ answer }: Recorded, bytes: Buffer): void => answer.appendLast(bytes);
const setResult = ({ answer }: Recorded, result: GenerationResult): void => answer.setResult(result);
