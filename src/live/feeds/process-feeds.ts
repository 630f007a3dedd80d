import { systemClock, type Clock } from '../../calendar/clock.ts';
import { inTime } from '../../calendar/in-time.ts';
import type { FeedItem } from '../feed.ts';
import { encodeEvent } from '../live-bus.ts';
import { WINDOW, type FeedMessages, type FeedUpdate } from './feed-messages.ts';
import { FeedReader } from './feed-reader.ts';
import { RemoteFeedError, type FeedOwner, type FeedPlace, type RemoteFeeds } from './remote-feeds.ts';

/** For a supervisor, Redis or a process that does not respond. */
const MAX_REPLY_MS = 5_000;

/** A feed of this process that another one reads. */
interface Served {
  readonly closing: AbortController;
  /** Items that may be sent. */
  credit: number;
  wake: (() => void) | null;
}

/** The feeds of a process, and its way to those of the others. */
export class ProcessFeeds implements RemoteFeeds {
  readonly #messages: FeedMessages;
  readonly #clock: Clock;
  readonly #owners = new Map<string, FeedOwner>();
  readonly #readers = new Map<number, FeedReader>();
  readonly #served = new Map<number, Served>();
  #lastFeed = 0;

  constructor(messages: FeedMessages, clock: Clock = systemClock) {
    this.#messages = messages;
    this.#clock = clock;
    messages.onUpdate((update) => this.#receive(update));
    messages.onCancel((name, ask) => this.#ownerOf(name)?.cancel(ask) ?? false);
  }

  serve(kind: string, owner: FeedOwner): void {
    this.#owners.set(kind, owner);
  }

  claim(name: string, accountId: string): Promise<FeedPlace> {
    return inTime(this.#clock, MAX_REPLY_MS, this.#messages.claim(name, accountId));
  }

  offer(name: string): void {
    this.#messages.post(['offer', name]);
  }

  release(name: string): void {
    this.#messages.post(['release', name]);
  }

  cancel(name: string, ask: string): Promise<boolean> {
    return inTime(this.#clock, MAX_REPLY_MS, this.#messages.cancel(name, ask));
  }

  async follow<T>(name: string, ask: string, signal: AbortSignal): Promise<AsyncIterableIterator<FeedItem<T>> | null> {
    const feed = ++this.#lastFeed;
    const reader = new FeedReader(feed, (notice) => this.#messages.post(notice));
    // Nothing would close it later.
    if (signal.aborted) return reader.read<T>(signal);
    this.#readers.set(feed, reader);
    const close = (): void => {
      signal.removeEventListener('abort', close);
      if (this.#readers.delete(feed) && !reader.hasEnded) this.#messages.post(['close', feed]);
    };
    signal.addEventListener('abort', close);
    this.#messages.post(['open', feed, name, ask]);
    try {
      const isOpen = await inTime(this.#clock, MAX_REPLY_MS, reader.opened);
      if (isOpen) return reader.read<T>(signal);
      close();
      return null;
    } catch (error) {
      close();
      throw error instanceof RemoteFeedError ? error : new RemoteFeedError('unresponsive');
    }
  }

  #receive(update: FeedUpdate): void {
    switch (update[0]) {
      case 'open':
        return void this.#serve(update[1], update[2], update[3]);
      case 'more': {
        const served = this.#served.get(update[1]);
        if (served === undefined) return;
        served.credit += update[2];
        return served.wake?.();
      }
      case 'close': {
        const served = this.#served.get(update[1]);
        served?.closing.abort();
        return served?.wake?.();
      }
      default: {
        const reader = this.#readers.get(update[1]);
        reader?.receive(update);
        if (update[0] === 'end') this.#readers.delete(update[1]);
        // It was closed before its owner knew of it.
        else if (reader === undefined) this.#messages.post(['close', update[1]]);
      }
    }
  }

  async #serve(route: number, name: string, ask: string): Promise<void> {
    const served: Served = { closing: new AbortController(), credit: WINDOW, wake: null };
    const { signal } = served.closing;
    this.#served.set(route, served);
    try {
      // A name that this process was given just before is in use only after this turn.
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (signal.aborted) return;
      const items = this.#ownerOf(name)?.open(ask, signal) ?? null;
      if (items === null) return this.#messages.post(['end', route, 'absent']);
      this.#messages.post(['opened', route]);
      for await (const item of items) {
        while (served.credit === 0 && !signal.aborted) await new Promise<void>((resolve) => (served.wake = resolve));
        if (signal.aborted) return;
        served.credit--;
        this.#messages.post(['item', route, encodeEvent(item)]);
      }
      this.#messages.post(['end', route, null]);
    } catch (error) {
      this.#messages.post(['end', route, codeOf(error)]);
    } finally {
      this.#served.delete(route);
    }
  }

  #ownerOf(name: string): FeedOwner | undefined {
    return this.#owners.get(name.slice(0, name.indexOf(':')));
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'gone';
}
