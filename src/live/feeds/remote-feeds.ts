import type { FeedItem } from '../feed.ts';

/** The account has claimed as many names as it may. */
export interface NamesUsedUp {
  readonly limit: number;
  /** Until its oldest one expires. */
  readonly retryAfterMs: number;
}

/** Who has a feed. `ended`: a process that does not run any more had it. */
export type FeedPlace = 'here' | 'elsewhere' | 'ended' | NamesUsedUp;

/**
 * Reads of a feed failed: `gone` where its process has ended, `unresponsive` where it does not respond in time, `lost` where events
 * between both were lost, which it still has; else the code of its error.
 */
export class RemoteFeedError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`The feed of another process failed: ${code}.`);
    this.name = 'RemoteFeedError';
    this.code = code;
  }
}

/** Serves feeds of this process to others. */
export interface FeedOwner {
  /** @returns null where it does not have the feed. @throws an error whose code the reader receives */
  open(ask: string, signal: AbortSignal): AsyncIterableIterator<FeedItem<unknown>> | null;
  /** @returns whether it was running */
  cancel(ask: string): boolean;
}

/** Feeds of several processes, each under a name that one of them has. */
export interface RemoteFeeds {
  /** Serves the feeds whose names begin with `<kind>:`. */
  serve(kind: string, owner: FeedOwner): void;
  /** Claims a name for this process, where no other one has or had it. @throws where the supervisor or Redis does not respond */
  claim(name: string, accountId: string): Promise<FeedPlace>;
  /** Uses a name that no other process can have, until it is released or this process ends. */
  offer(name: string): void;
  /** Releases a name of this process. */
  release(name: string): void;
  /**
   * Reads a feed of another process. A slow reader needs no memory for more than a few events.
   * @param ask what its owner receives
   * @returns null where no running process has it
   * @throws RemoteFeedError, also while it is read
   */
  follow<T>(name: string, ask: string, signal: AbortSignal): Promise<AsyncIterableIterator<FeedItem<T>> | null>;
  /** @returns whether it was running. @throws where the supervisor or Redis does not respond */
  cancel(name: string, ask: string): Promise<boolean>;
}
