import type { FeedAnswer, FeedNotice } from '../../live/feeds/feed-messages.ts';

type OfReader = Extract<FeedNotice, readonly ['more' | 'close', ...unknown[]]>;

/** What a process sends another one. A feed has the number that its reader gave it. */
export type PeerMessage =
  | readonly [type: 'open', feed: number, name: string, ask: string]
  | OfReader
  | FeedAnswer
  | readonly [type: 'cancel', question: number, name: string, ask: string]
  | readonly [type: 'cancelled', question: number, wasRunning: boolean]
  /** The feeds of the receiver that the sender reads. It is answered. */
  | readonly [type: 'reading', feeds: readonly number[]]
  | readonly [type: 'heard'];

/** A message as it is published. `number` counts those of the sender to the receiver. */
export type NumberedMessage = readonly [from: string, number: number, message: PeerMessage];

/** Another process that reads feeds of this one, or has feeds that this one reads. */
export class FeedPeer {
  /** Feeds of the peer that are read here, by the reader's number. */
  readonly reading = new Set<number>();
  /** Feeds of this process that the peer reads: routes by the reader's number. */
  readonly routes = new Map<number, number>();
  /** Of the last message, by the clock's `monotonic`. */
  heardAt: number;
  #sent = 0;
  /** The number of the last message; null before the first. */
  #received: number | null = null;

  constructor(now: number) {
    this.heardAt = now;
  }

  get isIdle(): boolean {
    return this.reading.size === 0 && this.routes.size === 0;
  }

  /** Counted even if it cannot be sent, so that the next one reveals the loss. */
  nextNumber(): number {
    this.#sent += 1;
    return this.#sent;
  }

  /** @returns whether a message before this one was lost */
  receive(number: number, now: number): boolean {
    const isLost = this.#received !== null && number !== this.#received + 1;
    this.#received = number;
    this.heardAt = now;
    return isLost;
  }
}
