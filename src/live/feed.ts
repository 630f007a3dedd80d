import type { LiveCompletion } from './events.ts';

/** What a live subscriber receives. `gap`: events were dropped, because the cursor was too old or the reader too slow. */
export type FeedItem<T> =
  | { readonly type: 'event'; readonly cursor: string; readonly event: T }
  | { readonly type: 'gap' };

/** Live completions of all accounts, each apart. */
export interface LiveFeed {
  /** Events of one account from now on, or after `after`. Ends when `signal` aborts. Never buffers without bound. */
  subscribe(
    accountId: string,
    after: string | null,
    signal: AbortSignal,
  ): AsyncIterableIterator<FeedItem<LiveCompletion>>;
}
