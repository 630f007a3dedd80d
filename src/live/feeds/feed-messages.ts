import type { FeedPlace } from './remote-feeds.ts';

/** Items that an owner may send before the reader has read some. */
export const WINDOW = 64;

/** What a worker asks the supervisor for. */
export type FeedQuestion =
  | readonly [type: 'claim', name: string, accountId: string]
  | readonly [type: 'cancel', name: string, ask: string];

/** What a worker sends the supervisor: as the reader of a feed by its own number, as the owner by that of the supervisor. */
export type FeedNotice =
  | readonly [type: 'offer' | 'release', name: string]
  | readonly [type: 'open', feed: number, name: string, ask: string]
  | readonly [type: 'more', feed: number, count: number]
  | readonly [type: 'close', feed: number]
  | FeedAnswer;

/** From the owner of a feed to its reader. Items are encoded. */
export type FeedAnswer =
  | readonly [type: 'opened', feed: number]
  | readonly [type: 'item', feed: number, item: string]
  /** @param code null at the end of the feed; `absent` where no process has it */
  | readonly [type: 'end', feed: number, code: string | null];

/** What the supervisor sends a worker: to the reader by its own number, to the owner by that of the supervisor. */
export type FeedUpdate = Exclude<FeedNotice, readonly ['offer' | 'release', ...unknown[]]>;

/** Carries messages between this process and the others, in order: through the supervisor, or through Redis. */
export interface FeedMessages {
  /** @throws where the supervisor or Redis is gone */
  claim(name: string, accountId: string): Promise<FeedPlace>;
  /** @throws where the supervisor or Redis is gone */
  cancel(name: string, ask: string): Promise<boolean>;
  post(notice: FeedNotice): void;
  onUpdate(listener: (update: FeedUpdate) => void): void;
  /** Another process asks this one to cancel what is behind a name. */
  onCancel(listener: (name: string, ask: string) => boolean): void;
}
