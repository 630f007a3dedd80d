import { systemClock, type Clock, type Timer } from '../calendar/clock.ts';
import type { EventRing } from './event-ring.ts';
import type { CompletionUpdate } from './events.ts';

const JOINED_FOR_MS = 25;
/** With fewer readers each event goes out as it comes: what joining saves is a write to each of them. */
const MANY_READERS = 8;

/** Two updates of one completion as one, where the second goes on with what the first says; null where it does not. */
export function joinUpdates(first: CompletionUpdate, second: CompletionUpdate): CompletionUpdate | null {
  if (first.type === 'delta' || first.type === 'reasoning') {
    const goesOn = second.type === first.type && second.choice === first.choice;
    return goesOn ? { ...first, text: first.text + second.text } : null;
  }
  if (first.type !== 'toolCall' || second.type !== 'toolCall') return null;
  const goesOn = second.choice === first.choice && second.index === first.index && second.id === null;
  return goesOn && second.name === null ? { ...first, arguments: first.arguments + second.arguments } : null;
}

export interface JoinedOptions<T> {
  readonly ring: EventRing<T>;
  /** Null where they are not to be joined. */
  readonly join: (first: T, second: T) => T | null;
  /** Events of the same name may be joined, and keep their order. */
  readonly nameOf: (event: T) => string;
  readonly weightOf: (event: T) => number;
}

/**
 * Puts events into a ring; while many read it, those that can be joined are, for up to 25 ms: text comes in more pieces
 * than an eye can tell apart, and each piece is a write to every reader.
 */
export class JoinedUpdates<T> {
  readonly #options: JoinedOptions<T>;
  readonly #clock: Clock;
  #waiting: T[] = [];
  /** Where the last of a name waits. */
  #last = new Map<string, number>();
  #timer: Timer | null = null;

  constructor(options: JoinedOptions<T>, clock: Clock = systemClock) {
    this.#options = options;
    this.#clock = clock;
  }

  push(event: T): void {
    const { ring, weightOf } = this.#options;
    if (this.#timer === null && ring.readers < MANY_READERS) {
      ring.push(event, weightOf(event));
      return;
    }
    this.#keep(event);
    this.#timer ??= this.#clock.setTimeout(() => this.flush(), JOINED_FOR_MS);
  }

  /** Lets go of what waits. */
  flush(): void {
    const { ring, weightOf } = this.#options;
    this.#timer?.cancel();
    this.#timer = null;
    const events = this.#waiting;
    this.#waiting = [];
    this.#last = new Map();
    for (const event of events) ring.push(event, weightOf(event));
  }

  #keep(event: T): void {
    const { join, nameOf } = this.#options;
    const name = nameOf(event);
    const at = this.#last.get(name);
    const before = at === undefined ? undefined : this.#waiting[at];
    const joined = before === undefined ? null : join(before, event);
    if (at !== undefined && joined !== null) this.#waiting[at] = joined;
    else this.#last.set(name, this.#waiting.push(event) - 1);
  }
}
