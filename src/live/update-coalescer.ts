import { systemClock, type Clock, type Timer } from '../calendar/clock.ts';
import type { EventRing } from './event-ring.ts';
import type { CompletionUpdate } from './events.ts';

const COALESCING_WINDOW_MS = 25;
/** With fewer readers, events are sent immediately: coalescing saves one write per reader. */
const MIN_COALESCING_READERS = 8;

/** Merges two updates of one completion if the second continues the first; null otherwise. */
export function mergeUpdates(first: CompletionUpdate, second: CompletionUpdate): CompletionUpdate | null {
  if (first.type === 'delta' || first.type === 'reasoning') {
    const continuesFirst = second.type === first.type && second.choice === first.choice;
    return continuesFirst ? { ...first, text: first.text + second.text } : null;
  }
  if (first.type !== 'toolCall' || second.type !== 'toolCall') return null;
  const continuesFirst = second.choice === first.choice && second.index === first.index && second.id === null;
  return continuesFirst && second.name === null ? { ...first, arguments: first.arguments + second.arguments } : null;
}

export interface UpdateCoalescerOptions<T> {
  readonly ring: EventRing<T>;
  /** Null if they cannot be merged. */
  readonly merge: (first: T, second: T) => T | null;
  /** Events with the same key can be merged; their order is preserved. */
  readonly keyOf: (event: T) => string;
  readonly weightOf: (event: T) => number;
}

/**
 * Pushes events into a ring. While it has many readers, events are merged for up to 25 ms: every event is a write to every
 * reader, and models emit text in smaller parts than a person can perceive.
 */
export class UpdateCoalescer<T> {
  readonly #options: UpdateCoalescerOptions<T>;
  readonly #clock: Clock;
  #pending: T[] = [];
  /** Index of the last pending event by key. */
  #lastIndex = new Map<string, number>();
  #timer: Timer | null = null;

  constructor(options: UpdateCoalescerOptions<T>, clock: Clock = systemClock) {
    this.#options = options;
    this.#clock = clock;
  }

  push(event: T): void {
    const { ring, weightOf } = this.#options;
    if (this.#timer === null && ring.readers < MIN_COALESCING_READERS) {
      ring.push(event, weightOf(event));
      return;
    }
    this.#enqueue(event);
    this.#timer ??= this.#clock.setTimeout(() => this.flush(), COALESCING_WINDOW_MS);
  }

  /** Pushes the pending events. */
  flush(): void {
    const { ring, weightOf } = this.#options;
    this.#timer?.cancel();
    this.#timer = null;
    const events = this.#pending;
    this.#pending = [];
    this.#lastIndex = new Map();
    for (const event of events) ring.push(event, weightOf(event));
  }

  #enqueue(event: T): void {
    const { merge, keyOf } = this.#options;
    const key = keyOf(event);
    const at = this.#lastIndex.get(key);
    const before = at === undefined ? undefined : this.#pending[at];
    const merged = before === undefined ? null : merge(before, event);
    if (at !== undefined && merged !== null) this.#pending[at] = merged;
    else this.#lastIndex.set(key, this.#pending.push(event) - 1);
  }
}
