import { unixSeconds } from '../../../calendar/clock.ts';
import { eventData } from '../../../protocols/chat-completions/event-text.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';
import { tryParse } from '../json-text.ts';
import { Output } from './output.ts';
import type { ResponseNames } from './response-names.ts';
import {
  endOf,
  isServiceTier,
  responseUsage,
  type ResponseErrorCode,
  type ResponseObject,
  type ResponseStatus,
} from './response-object.ts';

/** One event of a streamed response. */
export interface ResponseEvent {
  readonly type: string;
  /** Starts at 0 and increases by one. */
  readonly sequenceNumber: number;
  /** The event's data. */
  readonly json: string;
}

/** The error of a failed response. */
export interface ReportedError {
  /** For the event `error`. */
  readonly code: string;
  /** For the response's `error`. */
  readonly responseCode: ResponseErrorCode;
  readonly message: string;
}

/**
 * Converts the output of a chat, streamed or not, to a response. Source: OpenAI's API document, Response and
 * ResponseStreamEvent.
 */
export class ResponseWriter {
  readonly #settings: Record<string, unknown>;
  readonly #output: Output;
  #events: ResponseEvent[] = [];
  #sequence = 0;
  #begun = false;
  #usage: unknown = null;
  #finishReason: string | null = null;

  /** @param settings members that repeat the request; @param id the response's UUID */
  constructor(settings: Readonly<Record<string, unknown>>, names: ResponseNames, id: string) {
    this.#settings = { ...settings };
    this.#output = new Output(names, id, (type, members) => this.#emit(type, members));
  }

  get hasBegun(): boolean {
    return this.#begun;
  }

  /** The response in progress; null before it starts. */
  get running(): ResponseObject | null {
    return this.#begun ? this.#response('in_progress') : null;
  }

  /** Emits the events of a queued response. */
  queue(): ResponseObject {
    const response = this.#response('queued');
    this.#emit('response.created', { response });
    this.#emit('response.queued', { response });
    return response;
  }

  begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    if (this.#sequence === 0) this.#emit('response.created', { response: this.#response('in_progress') });
    this.#emit('response.in_progress', { response: this.#response('in_progress') });
  }

  /** Adds complete events of a streamed chat. */
  chunks(bytes: Buffer): void {
    for (const event of bytes.toString().split('\n\n')) {
      const data = eventData(`${event}\n\n`);
      const chunk = data === null || data === '[DONE]' ? null : tryParse(data);
      if (isObject(chunk)) this.#add(chunk, 'delta');
    }
  }

  /** Converts an unstreamed chat response. */
  document(bytes: Buffer): ResponseObject {
    const answer = tryParse(bytes.toString());
    if (isObject(answer)) this.#add(answer, 'message');
    this.#events = [];
    return this.#finalResponse();
  }

  /** Emits the final events. */
  end(): ResponseObject {
    this.begin();
    const { status } = endOf(this.#finishReason);
    this.#output.finish(status === 'completed' ? 'completed' : 'incomplete');
    const response = this.#finalResponse();
    this.#emit(`response.${response.status}`, { response });
    return response;
  }

  /** Emits the events of a failure. */
  fail({ code, responseCode, message }: ReportedError): ResponseObject {
    this.#emit('error', { code, message, param: null });
    const response = { ...this.#response('failed', 'incomplete'), error: { code: responseCode, message } };
    this.#emit('response.failed', { response });
    return response;
  }

  /**
   * Emits the end of a cancelled response. The reference has no event for that: `status` of the response is
   * `cancelled`.
   */
  cancel(): ResponseObject {
    const response = this.#response('cancelled', 'incomplete');
    this.#emit('response.incomplete', { response });
    return response;
  }

  /** Removes and returns the events emitted so far. */
  take(): readonly ResponseEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #add(answer: Record<string, unknown>, part: 'delta' | 'message'): void {
    if (typeof answer.model === 'string') this.#settings.model = answer.model;
    if (isServiceTier(answer.service_tier)) this.#settings.service_tier = answer.service_tier;
    if (isObject(answer.usage)) this.#usage = answer.usage;
    if (part === 'delta') this.begin();
    const choices: unknown[] = Array.isArray(answer.choices) ? answer.choices : [];
    for (const choice of choices) {
      if (!isObject(choice) || (choice.index ?? 0) !== 0) continue;
      const content = choice[part];
      if (isObject(content)) this.#output.add(content, choice.logprobs);
      if (typeof choice.finish_reason === 'string') this.#finishReason = choice.finish_reason;
    }
  }

  #finalResponse(): ResponseObject {
    const { status, incomplete_details } = endOf(this.#finishReason);
    return {
      ...this.#response(status, status === 'completed' ? 'completed' : 'incomplete'),
      incomplete_details,
      completed_at: status === 'completed' ? unixSeconds() : null,
    };
  }

  #response(status: ResponseStatus, items: 'completed' | 'incomplete' | null = null): ResponseObject {
    const usage = responseUsage(this.#usage);
    return {
      ...this.#settings,
      status,
      error: null,
      incomplete_details: null,
      completed_at: null,
      output: items === null ? [] : this.#output.items(items),
      ...(usage && { usage }),
    };
  }

  #emit(type: string, members: Record<string, unknown>): void {
    const sequenceNumber = this.#sequence++;
    const json = JSON.stringify({ type, sequence_number: sequenceNumber, ...members });
    this.#events.push({ type, sequenceNumber, json });
  }
}
