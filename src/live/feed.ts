import type { LiveCompletion } from './events.ts';

/** An item of a live subscription. `gap`: events were dropped because the cursor was too old or the reader too slow. */
export type FeedItem<T> =
  | { readonly type: 'event'; readonly cursor: string; readonly event: T }
  | { readonly type: 'gap' };

/** Live completions, separate per account. */
export interface LiveFeed {
  /** New events of one account, or those after `after`. Ends when `signal` aborts. Buffers are bounded. */
  subscribe(
    accountId: string,
    after: string | null,
    signal: AbortSignal,
  ): AsyncIterableIterator<FeedItem<LiveCompletion>>;
}
