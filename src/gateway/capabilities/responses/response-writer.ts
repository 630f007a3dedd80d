import { unixSeconds } from '../../../calendar/clock.ts';
import { eventData } from '../chat/chat-stream.ts';
import { isObject } from '../fault.ts';
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

/** One event of a streamed response, as it goes out. */
export interface ResponseEvent {
  readonly type: string;
  /** From 0, by one. */
  readonly sequenceNumber: number;
  /** Its data. */
  readonly json: string;
}

/** Why a response ended before its answer was whole. */
export interface ReportedError {
  /** Of the event `error`. */
  readonly code: string;
  /** Of the response's `error`. */
  readonly responseCode: ResponseErrorCode;
  readonly message: string;
}

/**
 * Makes a response out of the answer to a chat, streamed or whole. Source: OpenAI's API document, Response and
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

  /** @param settings what the response says of its request; @param id its UUID */
  constructor(settings: Readonly<Record<string, unknown>>, names: ResponseNames, id: string) {
    this.#settings = { ...settings };
    this.#output = new Output(names, id, (type, members) => this.#tell(type, members));
  }

  get hasBegun(): boolean {
    return this.#begun;
  }

  /** As it is while it runs; null before. */
  get running(): ResponseObject | null {
    return this.#begun ? this.#response('in_progress') : null;
  }

  /** Tells that the response waits to be run. */
  queue(): ResponseObject {
    const response = this.#response('queued');
    this.#tell('response.created', { response });
    this.#tell('response.queued', { response });
    return response;
  }

  begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    if (this.#sequence === 0) this.#tell('response.created', { response: this.#response('in_progress') });
    this.#tell('response.in_progress', { response: this.#response('in_progress') });
  }

  /** Whole events of a streamed chat. */
  chunks(bytes: Buffer): void {
    for (const event of bytes.toString().split('\n\n')) {
      const data = eventData(`${event}\n\n`);
      const chunk = data === null || data === '[DONE]' ? null : tryParse(data);
      if (isObject(chunk)) this.#add(chunk, 'delta');
    }
  }

  /** The whole answer to a chat. */
  document(bytes: Buffer): ResponseObject {
    const answer = tryParse(bytes.toString());
    if (isObject(answer)) this.#add(answer, 'message');
    this.#events = [];
    return this.#ended();
  }

  /** Tells the end. */
  end(): ResponseObject {
    this.begin();
    const { status } = endOf(this.#finishReason);
    this.#output.finish(status === 'completed' ? 'completed' : 'incomplete');
    const response = this.#ended();
    this.#tell(`response.${response.status}`, { response });
    return response;
  }

  /** Ends it by an error. */
  fail({ code, responseCode, message }: ReportedError): ResponseObject {
    this.#tell('error', { code, message, param: null });
    const response = { ...this.#response('failed', 'incomplete'), error: { code: responseCode, message } };
    this.#tell('response.failed', { response });
    return response;
  }

  /** Ends it as its caller wants. The reference has no event of that name: the response says that it was cancelled. */
  cancel(): ResponseObject {
    const response = this.#response('cancelled', 'incomplete');
    this.#tell('response.incomplete', { response });
    return response;
  }

  /** Those that were not taken yet. */
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
      const said = choice[part];
      if (isObject(said)) this.#output.add(said, choice.logprobs);
      if (typeof choice.finish_reason === 'string') this.#finishReason = choice.finish_reason;
    }
  }

  #ended(): ResponseObject {
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

  #tell(type: string, members: Record<string, unknown>): void {
    const sequenceNumber = this.#sequence++;
    const json = JSON.stringify({ type, sequence_number: sequenceNumber, ...members });
    this.#events.push({ type, sequenceNumber, json });
  }
}
