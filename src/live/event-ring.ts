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
  /** Each event is one object for all its readers: what is made of it can be kept by it. */
  readonly #kept: { readonly item: FeedItem<T>; readonly weight: number }[] = [];
  #head = 0;
  #first = 0;
  #weight = 0;
  #closed = false;
  #readers = 0;
  #wake: PromiseWithResolvers<void> | null = null;

  constructor(bounds: RingBounds) {
    this.#bounds = bounds;
  }

  push(event: T, weight: number): void {
    if (this.#closed) return;
    const cursor = this.#cursorAt(this.#first + this.#length + 1);
    this.#kept.push({ item: { type: 'event', cursor, event }, weight });
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

  /** Events that should have been here are not: readers are told of a gap. */
  lose(): void {
    this.#first += this.#length + 1;
    this.#kept.length = 0;
    this.#head = 0;
    this.#weight = 0;
    this.#wakeReaders();
  }

  /** Events from now on, or after the cursor `after`; ends with the ring, or when `signal` aborts. */
  async *read(after: string | null, signal: AbortSignal): AsyncIterableIterator<FeedItem<T>> {
    let position = after === null ? this.#first + this.#length : this.#positionAfter(after);
    const onAbort = (): void => this.#wakeReaders();
    signal.addEventListener('abort', onAbort);
    this.#readers++;
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
          yield entry.item;
        } else if (this.#closed) return;
        else await (this.#wake ??= Promise.withResolvers()).promise;
      }
    } finally {
      this.#readers--;
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Of all that it keeps. */
  get weight(): number {
    return this.#weight;
  }

  /** How many read it now. */
  get readers(): number {
    return this.#readers;
  }

  /** A cursor that reads everything kept. */
  get start(): string {
    return this.#cursorAt(this.#first);
  }

  /** A cursor that reads what comes from now on. */
  get end(): string {
    return this.#cursorAt(this.#first + this.#length);
  }

  get #length(): number {
    return this.#kept.length - this.#head;
  }

  #cursorAt(position: number): string {
    return `${this.#epoch}.${position.toString(36)}`;
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
