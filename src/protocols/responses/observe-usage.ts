import { isObject, objectsOf, textIn, textOf, type JsonObject } from '../canonical/json-members.ts';
import { dataOf, EventObserver } from '../canonical/event-observer.ts';
import type { StreamObserver } from '../canonical/protocol.ts';
import type { FinishReason } from '../canonical/stream-part.ts';
import type { Usage } from '../canonical/usage.ts';
import { errorOf, finishReason, hostedCalls, usageOf } from './response-parts.ts';

/**
 * Types as they stand in an event's JSON. JSON escapes the quotes of a text, so that no output looks like one. Source:
 * OpenAI's API document, ResponseStreamEvent.
 */
const STARTS = /"response\.(?:created|queued|in_progress)"/;
const ENDS = /"response\.(?:completed|incomplete|failed|cancelled)"|"type": ?"error"/;
/** The line before the data of an event that neither starts nor ends a response: their types have a third part. */
const WITHIN = /^event: ?response\.\w+\./;
/** Without its first quote: a search for one stops at each. */
const DELTA = 'delta":';

/** Observes the events of a Responses stream. Only its start and its end are parsed. */
export class ResponsesObserver extends EventObserver implements StreamObserver {
  usage: Usage | null = null;
  finishReason: FinishReason | null = null;
  isDone = false;
  readonly hasEndMark = true;
  hasOutput = false;
  model: string | null = null;
  serviceTier: string | null = null;
  outputBytes = 0;
  /** As far as it is known: with its output once it has ended. */
  response: JsonObject | null = null;

  protected observeEvent(event: string): void {
    const delta = event.indexOf(DELTA);
    if (delta >= 0) {
      this.hasOutput = true;
      // With what follows the delta, which is short.
      this.outputBytes += event.length - delta - DELTA.length;
      return;
    }
    if (WITHIN.test(event)) {
      this.hasOutput = true;
      return;
    }
    const isEnd = ENDS.test(event);
    if (isEnd) this.#parse(dataOf(event), true);
    else if (!STARTS.test(event)) this.hasOutput ||= event.includes('data:');
    // Those after the first one repeat it, with all instructions and tools of the request.
    else if (this.response === null) this.#parse(dataOf(event), false);
  }

  #parse(data: JsonObject, isEnd: boolean): void {
    const type = textIn(data, 'type');
    if (type === 'error') this.error = errorOf(data.error ?? data);
    const { response } = data;
    if (!isObject(response)) return;
    this.response = response;
    this.model = textOf(response.model) ?? this.model;
    this.serviceTier = textOf(response.service_tier) ?? this.serviceTier;
    if (isEnd) this.#end(response, textIn(response, 'status') || type.slice('response.'.length));
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
