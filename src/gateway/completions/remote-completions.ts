import { delay, type Clock } from '../../calendar/clock.ts';
import { SluiceError } from '../../errors/index.ts';
import type { CompletionUpdate } from '../../live/events.ts';
import type { FeedItem } from '../../live/feed.ts';
import { RemoteFeedError, type FeedPlace, type RemoteFeeds } from '../../live/feeds/remote-feeds.ts';
import { hashOf, tooManyRequestIds, type RequestName } from './completion-registry.ts';

const KIND = 'completion';
const RETRY_MS = 1_000;
/** How often a feed whose events were lost is opened again, with pauses, before its readers get an error. */
const MAX_OPENINGS = 8;
const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [50, 2_000];

export interface ResumedCompletion {
  readonly fingerprint: string;
  readonly after: string | null;
}

/** The completions of this process, for readers at others. */
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

/** Completions that other processes run. A request id runs in one process only. */
export class RemoteCompletions {
  readonly #feeds: RemoteFeeds;
  readonly #clock: Clock;
  /** How many requests open a completion, by its feed. */
  readonly #opening = new Map<string, number>();

  constructor(feeds: RemoteFeeds, own: OwnCompletions, clock: Clock) {
    this.#feeds = feeds;
    this.#clock = clock;
    feeds.serve(KIND, {
      open: (text, signal) => {
        const { name, ...resumed } = decode(text);
        return own.read(name, resumed, signal);
      },
      cancel: (text) => own.cancel(decode(text).name),
    });
  }

  /**
   * Opens a completion. Where no request uses its name in the end, the name is released, also where the response to its claim was lost:
   * otherwise every other process would refuse it.
   */
  async opening<T>(name: RequestName, isUsed: () => boolean, open: () => Promise<T>): Promise<T> {
    const feed = feedOf(name);
    this.#opening.set(feed, (this.#opening.get(feed) ?? 0) + 1);
    try {
      return await open();
    } finally {
      const others = (this.#opening.get(feed) ?? 1) - 1;
      if (others > 0) this.#opening.set(feed, others);
      else this.#opening.delete(feed);
      if (others === 0 && !isUsed()) this.#feeds.release(feed);
    }
  }

  /**
   * The events of a completion that another process runs. Null where its id is free: then this process has claimed it.
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
    const items = await this.#follow({ name, ...resumed }, signal);
    // Its request was refused meanwhile.
    if (items === null) throw unavailable();
    return this.#resumed({ name, ...resumed }, items, signal);
  }

  /** Opens the feed again from the last cursor where its events were lost. */
  async *#resumed(
    ask: Ask,
    first: AsyncIterableIterator<FeedItem<CompletionUpdate>>,
    signal: AbortSignal,
  ): AsyncIterableIterator<FeedItem<CompletionUpdate>> {
    let { after } = ask;
    let items: typeof first | null = first;
    while (items !== null) {
      try {
        for await (const item of items) {
          if (item.type === 'event') after = item.cursor;
          yield item;
        }
        return;
      } catch (error) {
        if (!isLost(error)) throw errorOf(error);
      }
      items = await this.#follow({ ...ask, after }, signal, true);
    }
    if (!signal.aborted) throw new SluiceError('request_id_spent');
  }

  /** @param wasFollowed its owner may be known again only a moment later @returns null where no process has it, or the reader leaves */
  async #follow(
    ask: Ask,
    signal: AbortSignal,
    wasFollowed = false,
  ): Promise<AsyncIterableIterator<FeedItem<CompletionUpdate>> | null> {
    for (let opening = 1; !signal.aborted; opening++) {
      const isLast = opening === MAX_OPENINGS;
      try {
        const items = await this.#feeds.follow<CompletionUpdate>(feedOf(ask.name), JSON.stringify(ask), signal);
        if (items !== null || !wasFollowed || isLast) return items;
      } catch (error) {
        if (!isLost(error) || isLast) throw errorOf(error);
      }
      const pauseMs = Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** opening);
      await delay(this.#clock, pauseMs, signal).catch(() => undefined);
    }
    return null;
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

/** Ids of keys are unique across accounts. */
function feedOf(name: RequestName): string {
  return `${KIND}:${hashOf(name)}`;
}

/** Not validated: it comes from a process of the same release. */
function decode(text: string): Ask {
  const ask: Ask = JSON.parse(text);
  return ask;
}

function isLost(error: unknown): boolean {
  return error instanceof RemoteFeedError && error.code === 'lost';
}

function errorOf(error: unknown): SluiceError {
  if (!(error instanceof RemoteFeedError) || isLost(error)) return unavailable(error);
  switch (error.code) {
    case 'request_id_reused':
    case 'request_id_spent':
    case 'resume_gap':
      return new SluiceError(error.code);
    case 'unresponsive':
      // It may be stopped for a moment, and run on.
      return unavailable(error);
    default:
      // Its process has ended: it does not run again.
      return new SluiceError('request_id_spent', { cause: error });
  }
}

function unavailable(cause?: unknown): SluiceError {
  return new SluiceError('limits_unavailable', { retryAfterMs: RETRY_MS, cause });
}
