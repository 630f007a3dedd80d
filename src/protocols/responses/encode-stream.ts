import type { JsonObject } from '../canonical/json-members.ts';
import type { StreamPart } from '../canonical/stream-part.ts';
import { ResponseEncoder, type OutputForm } from './encode-response.ts';
import type { NameItem } from './encode-stream/response-output.ts';
import type { ResponseError, ResponseObject } from './response-object.ts';

/** One event of a streamed response. */
export interface ResponseEvent {
  readonly type: string;
  /** Starts at 0 and increases by one. */
  readonly sequenceNumber: number;
  /** The event's data. */
  readonly json: string;
}

/** Encodes the parts of a response as events. Source: OpenAI's API document, ResponseStreamEvent. */
export class ResponsesStreamEncoder {
  readonly #response: ResponseEncoder;
  #events: ResponseEvent[] = [];
  #sequence: number;
  #hasBegun = false;

  /**
   * @param settings members that repeat the request
   * @param sequence of its first event; not 0 where the response is run again and these were sent before
   */
  constructor(settings: Readonly<Record<string, unknown>>, nameItem: NameItem, form: OutputForm, sequence = 0) {
    this.#sequence = sequence;
    this.#response = new ResponseEncoder(settings, nameItem, (type, members) => this.#emit(type, members), form);
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** The response in progress; null before it starts. */
  get running(): ResponseObject | null {
    return this.#hasBegun ? this.#response.withoutOutput('in_progress') : null;
  }

  /** Emits the events of a queued response. */
  queue(): ResponseObject {
    const response = this.#response.withoutOutput('queued');
    this.#emit('response.created', { response });
    this.#emit('response.queued', { response });
    return response;
  }

  /** Parts of a stream. The first one starts the response. */
  encode(parts: readonly StreamPart[]): void {
    for (const part of parts) {
      if (part.type === 'start') this.#response.add(part);
      if (!this.#hasBegun) this.#begin();
      if (part.type !== 'start') this.#response.add(part);
    }
  }

  /** The parts of a response that is not streamed: it has no events. */
  document(parts: readonly StreamPart[]): ResponseObject {
    for (const part of parts) this.#response.add(part);
    this.#response.finish();
    this.#events = [];
    const { failure } = this.#response;
    return failure === null ? this.#response.complete() : this.#response.failed(failure);
  }

  /** Emits the final events. */
  end(): ResponseObject {
    if (!this.#hasBegun) this.#begin();
    this.#response.finish();
    const { failure } = this.#response;
    if (failure !== null) return this.fail(failure);
    const response = this.#response.complete();
    this.#emit(`response.${response.status}`, { response });
    return response;
  }

  /** Emits the events of a failure. */
  fail(error: ResponseError): ResponseObject {
    this.#emit('error', { code: error.code, message: error.message, param: null });
    const response = this.#response.failed(error);
    this.#emit('response.failed', { response });
    return response;
  }

  /**
   * Emits the end of a cancelled response. The reference has no event for that: `status` of the response is
   * `cancelled`.
   */
  cancel(): ResponseObject {
    const response = this.#response.interrupted('cancelled');
    this.#emit('response.incomplete', { response });
    return response;
  }

  /** Removes and returns the events emitted so far. */
  take(): readonly ResponseEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #begin(): void {
    this.#hasBegun = true;
    const response = this.#response.withoutOutput('in_progress');
    if (this.#sequence === 0) this.#emit('response.created', { response });
    this.#emit('response.in_progress', { response });
  }

  #emit(type: string, members: JsonObject): void {
    const sequenceNumber = this.#sequence++;
    const json = JSON.stringify({ type, sequence_number: sequenceNumber, ...members });
    this.#events.push({ type, sequenceNumber, json });
  }
}
