import type { FeedItem } from '../feed.ts';
import { decodeEvent } from '../live-bus.ts';
import { WINDOW, type FeedAnswer, type FeedNotice } from './feed-messages.ts';
import { RemoteFeedError } from './remote-feeds.ts';

/** The items of a feed of another worker: at most a window of them is in memory. */
export class FeedReader {
  readonly #feed: number;
  readonly #post: (notice: FeedNotice) => void;
  readonly #opened = Promise.withResolvers<boolean>();
  #items: string[] = [];
  #ended: { readonly code: string | null } | null = null;
  #wake: (() => void) | null = null;

  constructor(feed: number, post: (notice: FeedNotice) => void) {
    this.#feed = feed;
    this.#post = post;
    this.#opened.promise.catch(() => undefined);
  }

  /** False where no worker has it. @throws RemoteFeedError */
  get opened(): Promise<boolean> {
    return this.#opened.promise;
  }

  get hasEnded(): boolean {
    return this.#ended !== null;
  }

  receive(answer: FeedAnswer): void {
    switch (answer[0]) {
      case 'opened':
        return this.#opened.resolve(true);
      case 'item':
        this.#items.push(answer[2]);
        break;
      case 'end': {
        const [, , code] = answer;
        this.#ended = { code };
        if (code === null || code === 'absent') this.#opened.resolve(false);
        else this.#opened.reject(new RemoteFeedError(code));
      }
    }
    this.#wakeUp();
  }

  async *read<T>(signal: AbortSignal): AsyncIterableIterator<FeedItem<T>> {
    const onAbort = (): void => this.#wakeUp();
    signal.addEventListener('abort', onAbort);
    let unreported = 0;
    try {
      while (!signal.aborted) {
        const item = this.#items.shift();
        if (item !== undefined) {
          unreported++;
          if (unreported * 2 >= WINDOW) {
            this.#post(['more', this.#feed, unreported]);
            unreported = 0;
          }
          yield decodeEvent<FeedItem<T>>(item);
        } else if (this.#ended === null) await new Promise<void>((resolve) => (this.#wake = resolve));
        else if (this.#ended.code === null) return;
        else throw new RemoteFeedError(this.#ended.code);
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = null;
  }
}
