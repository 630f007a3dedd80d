import { listOf, membersOf, objectsOf, textOf, type JsonObject } from '../canonical/json-members.ts';
import { dataOf, EventObserver, eventEnd, startsAt } from '../canonical/event-observer.ts';
import type { StreamObserver } from '../canonical/protocol.ts';
import type { FinishReason } from '../canonical/stream-part.ts';
import { searchesUsed, type Usage } from '../canonical/usage.ts';
import { reportedError } from './errors.ts';
import { finishReason } from './finish-reason.ts';
import { isEachSearchBilled } from './model-traits.ts';
import { chatUsage } from './usage.ts';

/** Names of members with the quote that ends them, which JSON escapes in a text. */
const USAGE = 'usageMetadata"';
const SEARCHES = 'webSearchQueries"';
const CALL = 'functionCall"';
/** Parts of them. A search stops at each place that has the first character: with rare ones, and at most 6, it is 10 times as fast. */
const IN_SEARCHES = 'Querie';
const IN_CALL = 'functi';
const REASON = 'Reason"';
/** Where `REASON` is. */
const FINISH = /(?<="(?:finish|block))Reason": ?"(\w+)"/y;
/** The first member of an event. */
const ERROR = '"error"';
/** Of an event with almost no content. */
const ENVELOPE_BYTES = 250;

/** Observes Google's events. Each repeats the usage so far: only the last one is parsed, when it is asked for. */
export class GeminiObserver extends EventObserver implements StreamObserver {
  isDone = false;
  readonly hasEndMark = false;
  hasOutput = false;
  model: string | null = null;
  readonly serviceTier = null;
  outputBytes = 0;
  #reason: string | null = null;
  #hasCalls = false;
  /** The last events of which any has a usage: reading backwards costs more than all else, and only the last is asked for. */
  #last: { readonly events: string; readonly blank: string } | null = null;
  #searches = 0;
  #usage: Usage | null = null;

  get finishReason(): FinishReason | null {
    return this.#reason === null ? null : finishReason(this.#reason, this.#hasCalls);
  }

  get usage(): Usage | null {
    if (this.#last !== null) {
      const response = dataOf(lastEventWith(USAGE, this.#last.events, this.#last.blank));
      this.#last = null;
      this.model = textOf(response.modelVersion) ?? this.model;
      const usage = chatUsage(response.usageMetadata);
      const billed = isEachSearchBilled(this.model ?? '') ? this.#searches : Math.min(this.#searches, 1);
      if (usage !== null) this.#usage = { ...usage, hostedTools: searchesUsed(billed) };
    }
    return this.#usage;
  }

  /** All of a chunk at once: a search of each event costs more than what it reads. */
  protected override observeEvents(text: string, blank: string): void {
    const { count, end } = eventsBeforeError(text, blank);
    const events = end === text.length ? text : text.slice(0, end);
    if (count > 0) this.#observeOutput(events, blank, count);
    if (end < text.length) this.observeEvent(text.slice(end, eventEnd(text, blank, end)));
  }

  protected observeEvent(event: string): void {
    this.error = reportedError(dataOf(event)) ?? {
      message: 'it sent an error that says nothing',
      type: null,
      code: null,
    };
  }

  #observeOutput(events: string, blank: string, count: number): void {
    this.hasOutput = true;
    this.#hasCalls ||= events.includes(IN_CALL) && events.includes(CALL);
    this.outputBytes += Math.max(0, events.length - count * ENVELOPE_BYTES);
    const reason = lastReason(events);
    if (reason !== null) {
      this.#reason = reason;
      this.isDone = true;
    }
    if (events.includes(IN_SEARCHES) && events.includes(SEARCHES))
      this.#searches = searchesIn(dataOf(lastEventWith(SEARCHES, events, blank)));
    if (events.includes(USAGE)) this.#last = { events, blank };
  }
}

/** Events with data, and where the first one that reports an error begins: the text's length where none does. */
function eventsBeforeError(text: string, blank: string): { count: number; end: number } {
  let count = 0;
  for (let start = 0; start < text.length;) {
    const end = eventEnd(text, blank, start);
    const member = text.indexOf('"', start);
    if (member >= 0 && member < end) {
      if (startsAt(text, ERROR, member)) return { count, end: start };
      count++;
    }
    start = end;
  }
  return { count, end: text.length };
}

/** Searched for as text first: an expression costs ten times as much, and nearly no event has a reason. */
function lastReason(events: string): string | null {
  let reason: string | null = null;
  for (let found = events.indexOf(REASON); found >= 0; found = events.indexOf(REASON, found + 1)) {
    FINISH.lastIndex = found;
    reason = FINISH.exec(events)?.[1] ?? reason;
  }
  return reason;
}

/** @param events of which any contains `name` */
function lastEventWith(name: string, events: string, blank: string): string {
  const found = events.lastIndexOf(name);
  const before = events.lastIndexOf(blank, found);
  return events.slice(before < 0 ? 0 : before + blank.length, eventEnd(events, blank, found));
}

/** As the last event with any reports them. */
function searchesIn({ candidates }: JsonObject): number {
  const queries = objectsOf(candidates).map(
    (each) => listOf(membersOf(each.groundingMetadata).webSearchQueries).length,
  );
  return queries.reduce((sum, count) => sum + count, 0);
}
