import { listOf, membersOf, objectsOf, textOf, type JsonObject } from '../canonical/json-members.ts';
import { dataOf, EventObserver } from '../canonical/event-observer.ts';
import type { StreamObserver } from '../canonical/protocol.ts';
import type { FinishReason } from '../canonical/stream-part.ts';
import { searchesUsed, type Usage } from '../canonical/usage.ts';
import { reportedError } from './errors.ts';
import { finishReason } from './finish-reason.ts';
import { isEachSearchBilled } from './model-traits.ts';
import { chatUsage } from './usage.ts';

/**
 * Names of members with the quote that ends them, which JSON escapes in a text. The quote before them is left out: it is
 * everywhere, and a search is slow that stops at each.
 */
const USAGE = 'usageMetadata"';
const SEARCHES = 'webSearchQueries"';
const CALL = 'functionCall"';
/** Ends both names in `FINISH`. */
const REASON = 'Reason"';
const FINISH = /"(?:finishReason|blockReason)": ?"(\w+)"/;
const ERROR = /^data: ?\{\s*"error"/;
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
  /** The last event with a usage, not parsed yet. */
  #last = '';
  #searches = 0;
  #usage: Usage | null = null;

  get finishReason(): FinishReason | null {
    return this.#reason === null ? null : finishReason(this.#reason, this.#hasCalls);
  }

  get usage(): Usage | null {
    if (this.#last !== '') {
      const response = dataOf(this.#last);
      this.#last = '';
      this.model = textOf(response.modelVersion) ?? this.model;
      const usage = chatUsage(response.usageMetadata);
      const billed = isEachSearchBilled(this.model ?? '') ? this.#searches : Math.min(this.#searches, 1);
      if (usage !== null) this.#usage = { ...usage, hostedTools: searchesUsed(billed) };
    }
    return this.#usage;
  }

  protected observeEvent(event: string): void {
    if (!event.includes('data:')) return;
    if (ERROR.test(event)) {
      this.error = reportedError(dataOf(event)) ?? {
        message: 'it sent an error that says nothing',
        type: null,
        code: null,
      };
      return;
    }
    this.hasOutput = true;
    this.#hasCalls ||= event.includes(CALL);
    this.outputBytes += Math.max(0, event.length - ENVELOPE_BYTES);
    // Searched for as text first: the expression costs ten times as much, and nearly no event has a reason.
    const reason = event.includes(REASON) ? FINISH.exec(event)?.[1] : undefined;
    if (reason !== undefined) {
      this.#reason = reason;
      this.isDone = true;
    }
    if (event.includes(SEARCHES)) this.#searches = searchesIn(dataOf(event));
    if (event.includes(USAGE)) this.#last = event;
  }
}

/** As the last event with any reports them. */
function searchesIn({ candidates }: JsonObject): number {
  const queries = objectsOf(candidates).map(
    (each) => listOf(membersOf(each.groundingMetadata).webSearchQueries).length,
  );
  return queries.reduce((sum, count) => sum + count, 0);
}
