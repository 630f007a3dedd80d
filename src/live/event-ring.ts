import { randomBytes } from 'node:crypto';
import type { FeedItem } from './feed.ts';

export interface RingBounds {
  readonly events: number;
  /** Total of the weights given to `push`. */
  readonly weight: number;
}

/**
 * The last events of one topic, in memory. Readers have a position, not a queue: one that falls behind the ring receives a
 * `gap` and continues with the oldest retained event, so a slow reader needs no memory.
 */
export class EventRing<T> {
  readonly #bounds: RingBounds;
  /** Distinguishes cursors of this ring from those of other processes and earlier rings. */
  readonly #epoch = randomBytes(6).toString('base64url');
  /** All readers receive the same object per event, so that results can be cached by identity. */
  readonly #entries: { readonly item: FeedItem<T>; readonly weight: number }[] = [];
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
    this.#entries.push({ item: { type: 'event', cursor, event }, weight });
    this.#weight += weight;
    while (this.#length > this.#bounds.events || (this.#weight > this.#bounds.weight && this.#length > 1))
      this.#dropOldest();
    this.#wakeReaders();
  }

  /** Ends the ring. Readers end after the last event. */
  close(): void {
    this.#closed = true;
    this.#wakeReaders();
  }

  /** Events were lost: readers receive a gap. */
  markGap(): void {
    this.#first += this.#length + 1;
    this.#entries.length = 0;
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
        const entry = this.#entries[this.#head + position - this.#first];
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

  /** Total weight of retained events. */
  get weight(): number {
    return this.#weight;
  }

  /** Number of current readers. */
  get readers(): number {
    return this.#readers;
  }

  /** A cursor before all retained events. */
  get start(): string {
    return this.#cursorAt(this.#first);
  }

  /** A cursor after the last event. */
  get end(): string {
    return this.#cursorAt(this.#first + this.#length);
  }

  get #length(): number {
    return this.#entries.length - this.#head;
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
    this.#weight -= this.#entries[this.#head]?.weight ?? 0;
    this.#head++;
    this.#first++;
    // Slots are released in bulk: a shift per event would move the complete array every time.
    if (this.#head > 64 && this.#head * 2 > this.#entries.length) {
      this.#entries.splice(0, this.#head);
      this.#head = 0;
    }
  }

  #wakeReaders(): void {
    this.#wake?.resolve();
    this.#wake = null;
  }
}
