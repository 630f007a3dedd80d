import { isObject, objectsOf, textIn, textOf, type JsonObject } from '../canonical/json-members.ts';
import { dataOf, eventEnd, EventObserver, startsAt } from '../canonical/event-observer.ts';
import type { StreamObserver } from '../canonical/protocol.ts';
import type { FinishReason } from '../canonical/stream-part.ts';
import type { Usage } from '../canonical/usage.ts';
import { errorOf, finishReason, hostedCalls, usageOf } from './response-parts.ts';

/**
 * An event within a response: only its type has a third part. It stands before the data, or first in it. What follows is not searched
 * for a type: events of the response itself repeat the tools of the request, which may have any names. Source: OpenAI's API
 * document, ResponseStreamEvent.
 */
const WITHIN = /^(?:event: ?|data: ?\{"type": ?")response\.\w+\./;
/** Of most events, with the names of what they are within after it: `event: response.`. */
const NAMED_LENGTH = 16;
const NAME_START = 7;
const [DOT, LETTER_E, LETTER_O, LETTER_R] = [0x2e, 0x65, 0x6f, 0x72];
const STARTS = /^event: ?response\.(?:created|queued|in_progress)\s/;
const ENDS: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
]);
/** The end of `"delta":`. A search stops at each place that has the first character, and takes longer for 7 characters or more. */
const DELTA = 'lta":';

/** Observes the events of a Responses stream. Only its start and its end are parsed. */
export class ResponsesObserver extends EventObserver implements StreamObserver {
  usage: Usage | null = null;
  finishReason: FinishReason | null = null;
  isDone = false;
  readonly hasEndMark = true;
  hasOutput = false;
  outputBytes = 0;
  /** The first event with the response, not parsed yet: nearly always the last one takes its place. */
  #started = '';
  #response: JsonObject | null = null;
  #deltaOffset = 0;

  /** As far as it is known: with its output once it has ended. */
  get response(): JsonObject | null {
    if (this.#response === null && this.#started !== '') {
      const { response } = dataOf(this.#started);
      this.#response = isObject(response) ? response : null;
    }
    return this.#response;
  }

  get model(): string | null {
    return textOf(this.response?.model);
  }

  get serviceTier(): string | null {
    return textOf(this.response?.service_tier);
  }

  protected override observeEvents(text: string, blank: string): void {
    for (let start = 0; start < text.length && this.error === null;) {
      const end = eventEnd(text, blank, start);
      if (isOutput(text, start)) this.#observeWithin(text, start, end);
      else this.observeEvent(text.slice(start, end));
      start = end;
    }
  }

  protected observeEvent(event: string): void {
    if (WITHIN.test(event)) return this.#observeWithin(event);
    // Those after the first one repeat it, with all instructions and tools of the request.
    if (STARTS.test(event)) {
      if (this.#started === '') this.#started = event;
      return;
    }
    if (!event.includes('data:')) return;
    const data = dataOf(event);
    const type = textIn(data, 'type');
    if (type === 'error') this.error = errorOf(data.error ?? data);
    else if (!isObject(data.response)) this.#observeWithin(event);
    else this.#observeResponse(data.response, type);
  }

  #observeWithin(text: string, start = 0, end = text.length): void {
    this.hasOutput = true;
    // At the same place as in the event before, mostly.
    if (start + this.#deltaOffset >= end || !startsAt(text, DELTA, start + this.#deltaOffset)) {
      const delta = text.indexOf(DELTA, start);
      if (delta < 0 || delta >= end) return;
      this.#deltaOffset = delta - start;
    }
    // With what follows the delta, which is short.
    this.outputBytes += end - start - this.#deltaOffset - DELTA.length;
  }

  #observeResponse(response: JsonObject, type: string): void {
    this.#response = response;
    if (ENDS.has(type)) this.#end(response, textIn(response, 'status') || type.slice('response.'.length));
  }

  #end(response: JsonObject, status: string): void {
    this.hasOutput = true;
    const output = objectsOf(response.output);
    this.usage = usageOf(response.usage, hostedCalls(output)) ?? this.usage;
    if (status === 'failed' && this.outputBytes === 0) this.error = errorOf(response.error);
    const called = output.some(({ type }) => textOf(type)?.endsWith('_call') === true && type !== 'web_search_call');
    this.finishReason = finishReason(response, status === 'incomplete', called);
    this.isDone = this.error === null;
  }
}

/**
 * Whether an event is of output, reasoning or a refusal: no event of the response itself has a name with these letters there. Of
 * `event: response.` only what no other line of an event has is compared: it is done for each word.
 */
function isOutput(text: string, start: number): boolean {
  const letter = text.charCodeAt(start + NAMED_LENGTH);
  return (
    (letter === LETTER_O || letter === LETTER_R) &&
    text.charCodeAt(start + NAMED_LENGTH - 1) === DOT &&
    text.charCodeAt(start + NAME_START) === LETTER_R &&
    text.charCodeAt(start) === LETTER_E
  );
}
