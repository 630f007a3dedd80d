import { randomBytes } from 'node:crypto';
import type { FeedItem } from './feed.ts';

export interface RingBounds {
  readonly events: number;
  /** Of the weights given to `push`. */
  readonly weight: number;
}

/**
 * The last events of one topic, in memory. Readers hold a position, not a queue: one that falls behind the ring is told of
 * a `gap` and goes on with the oldest event kept, so a slow reader costs nothing.
 */
export class EventRing<T> {
  readonly #bounds: RingBounds;
  /** Told apart from a ring of another process or time, whose cursors mean nothing here. */
  readonly #epoch = randomBytes(6).toString('base64url');
  readonly #kept: { readonly event: T; readonly weight: number }[] = [];
  #head = 0;
  #first = 0;
  #weight = 0;
  #closed = false;
  #wake: PromiseWithResolvers<void> | null = null;

  constructor(bounds: RingBounds) {
    this.#bounds = bounds;
  }

  push(event: T, weight: number): void {
    if (this.#closed) return;
    this.#kept.push({ event, weight });
    this.#weight += weight;
    while (this.#length > this.#bounds.events || (this.#weight > this.#bounds.weight && this.#length > 1))
      this.#dropOldest();
    this.#wakeReaders();
  }

  /** No further event comes: readers end when they have read all. */
  close(): void {
    this.#closed = true;
    this.#wakeReaders();
  }

  /** Events from now on, or after the cursor `after`; ends with the ring, or when `signal` aborts. */
  async *read(after: string | null, signal: AbortSignal): AsyncIterableIterator<FeedItem<T>> {
    let position = after === null ? this.#first + this.#length : this.#positionAfter(after);
    const onAbort = (): void => this.#wakeReaders();
    signal.addEventListener('abort', onAbort);
    try {
      while (!signal.aborted) {
        if (position < this.#first) {
          position = this.#first;
          yield { type: 'gap' };
          continue;
        }
        const entry = this.#kept[this.#head + position - this.#first];
        if (entry !== undefined) {
          position++;
          yield { type: 'event', cursor: `${this.#epoch}.${position.toString(36)}`, event: entry.event };
        } else if (this.#closed) return;
        else await (this.#wake ??= Promise.withResolvers()).promise;
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** A cursor that reads everything kept. */
  get start(): string {
    return `${this.#epoch}.${this.#first.toString(36)}`;
  }

  get #length(): number {
    return this.#kept.length - this.#head;
  }

  #positionAfter(cursor: string): number {
    const [epoch, position = ''] = cursor.split('.');
    const number = /^[0-9a-z]{1,10}$/.test(position) ? Number.parseInt(position, 36) : -1;
    return epoch === this.#epoch && number <= this.#first + this.#length ? number : -1;
  }

  #dropOldest(): void {
    this.#weight -= this.#kept[this.#head]?.weight ?? 0;
    this.#head++;
    this.#first++;
    // Dropped places are given back in one go: a shift per event would move the whole array each time.
    if (this.#head > 64 && this.#head * 2 > this.#kept.length) {
      this.#kept.splice(0, this.#head);
      this.#head = 0;
    }
  }

  #wakeReaders(): void {
    this.#wake?.resolve();
    this.#wake = null;
  }
}
