import { SluiceError } from '../../errors/index.ts';
import type { CompletionUpdate } from '../../live/events.ts';
import type { FeedItem } from '../../live/feed.ts';
import { RemoteFeedError, type FeedPlace, type RemoteFeeds } from '../../live/feeds/remote-feeds.ts';
import { hashOf, tooManyRequestIds, type RequestName } from './completion-registry.ts';

const KIND = 'completion';
const RETRY_MS = 1_000;

export interface ResumedCompletion {
  readonly fingerprint: string;
  readonly after: string | null;
}

/** The completions of this worker, for readers at others. */
export interface OwnCompletions {
  /** Null where it has none of that name. @throws SluiceError */
  read(
    name: RequestName,
    resumed: ResumedCompletion,
    signal: AbortSignal,
  ): AsyncIterableIterator<FeedItem<CompletionUpdate>> | null;
  cancel(name: RequestName): boolean;
}

interface Ask extends ResumedCompletion {
  readonly name: RequestName;
}

/** Completions that other workers run. A request id runs on one worker only. */
export class RemoteCompletions {
  readonly #feeds: RemoteFeeds;

  constructor(feeds: RemoteFeeds, own: OwnCompletions) {
    this.#feeds = feeds;
    feeds.serve(KIND, {
      open: (text, signal) => {
        const { name, ...resumed } = decode(text);
        return own.read(name, resumed, signal);
      },
      cancel: (text) => own.cancel(decode(text).name),
    });
  }

  /**
   * The events of a completion that another worker runs. Null where its id is free: then this worker has claimed it.
   * @throws SluiceError request_id_spent | too_many_request_ids | limits_unavailable, or as `Completions.run`
   */
  async open(
    name: RequestName,
    resumed: ResumedCompletion,
    signal: AbortSignal,
  ): Promise<AsyncIterableIterator<FeedItem<CompletionUpdate>> | null> {
    const place = await this.#claim(name);
    if (place === 'here') return null;
    if (typeof place === 'object') throw tooManyRequestIds(place.limit, place.retryAfterMs);
    if (place === 'ended') throw new SluiceError('request_id_spent');
    const ask: Ask = { name, ...resumed };
    try {
      const items = await this.#feeds.follow<CompletionUpdate>(feedOf(name), JSON.stringify(ask), signal);
      if (items !== null) return followed(items);
    } catch (error) {
      throw errorOf(error);
    }
    // Its request was refused meanwhile.
    throw unavailable();
  }

  release(name: RequestName): void {
    this.#feeds.release(feedOf(name));
  }

  async cancel(name: RequestName): Promise<boolean> {
    const ask: Ask = { name, fingerprint: '', after: null };
    try {
      return await this.#feeds.cancel(feedOf(name), JSON.stringify(ask));
    } catch (error) {
      throw unavailable(error);
    }
  }

  async #claim(name: RequestName): Promise<FeedPlace> {
    try {
      return await this.#feeds.claim(feedOf(name), name.accountId);
    } catch (error) {
      throw unavailable(error);
    }
  }
}

async function* followed(
  items: AsyncIterableIterator<FeedItem<CompletionUpdate>>,
): AsyncIterableIterator<FeedItem<CompletionUpdate>> {
  try {
    yield* items;
  } catch (error) {
    throw errorOf(error);
  }
}

/** Ids of keys are unique across accounts. */
function feedOf(name: RequestName): string {
  return `${KIND}:${hashOf(name)}`;
}

/** Not validated: it comes from a process of the same release. */
function decode(text: string): Ask {
  const ask: Ask = JSON.parse(text);
  return ask;
}

function errorOf(error: unknown): SluiceError {
  if (!(error instanceof RemoteFeedError)) return unavailable(error);
  switch (error.code) {
    case 'request_id_reused':
    case 'request_id_spent':
    case 'resume_gap':
      return new SluiceError(error.code);
    default:
      // Its worker has ended: it does not run again.
      return new SluiceError('request_id_spent', { cause: error });
  }
}

function unavailable(cause?: unknown): SluiceError {
  return new SluiceError('limits_unavailable', { retryAfterMs: RETRY_MS, cause });
}
