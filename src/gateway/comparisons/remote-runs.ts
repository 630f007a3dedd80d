import type { FeedItem } from '../../live/feed.ts';
import { RemoteFeedError, type RemoteFeeds } from '../../live/feeds/remote-feeds.ts';
import type { LaneEvent } from './lane-event.ts';

const KIND = 'comparison';

/** What the worker that runs a comparison is asked for. */
interface Ask {
  readonly id: string;
  readonly after: string | null;
}

type Read = (
  id: string,
  after: string | null,
  signal: AbortSignal,
) => AsyncIterableIterator<FeedItem<LaneEvent>> | null;

/** Comparisons that other workers run. */
export class RemoteRuns {
  readonly #feeds: RemoteFeeds | null;

  /**
   * @param feeds null where there are no other workers
   * @param read the events of a comparison of this worker
   */
  constructor(feeds: RemoteFeeds | null, read: Read) {
    this.#feeds = feeds;
    feeds?.serve(KIND, {
      open: (text, signal) => {
        const ask: Ask = JSON.parse(text);
        return read(ask.id, ask.after, signal);
      },
      // Cancellations are stored, and read when a run is saved.
      cancel: () => false,
    });
  }

  offer(id: string): void {
    this.#feeds?.offer(feedOf(id));
  }

  release(id: string): void {
    this.#feeds?.release(feedOf(id));
  }

  /** Null where no other worker runs it. @throws RemoteFeedError while it is read, where that worker ends */
  async follow(
    id: string,
    after: string | null,
    signal: AbortSignal,
  ): Promise<AsyncIterableIterator<FeedItem<LaneEvent>> | null> {
    const ask: Ask = { id, after };
    try {
      return (await this.#feeds?.follow<LaneEvent>(feedOf(id), JSON.stringify(ask), signal)) ?? null;
    } catch (error) {
      if (error instanceof RemoteFeedError) return null;
      throw error;
    }
  }
}

function feedOf(id: string): string {
  return `${KIND}:${id}`;
}
