import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { FeedAnswer, FeedNotice, FeedQuestion, FeedUpdate } from './feed-messages.ts';
import { FeedNames } from './feed-names.ts';
import type { FeedPlace } from './remote-feeds.ts';

/** A running worker. */
export interface FeedWorker {
  post(update: FeedUpdate): void;
  cancel(name: string, ask: string): Promise<boolean>;
}

interface Route {
  readonly reader: FeedWorker;
  /** The reader's number of the feed. */
  readonly feed: number;
  readonly owner: FeedWorker;
}

/** Knows which worker has which feed, and passes the items on to readers at other workers. */
export class FeedServer {
  readonly #names: FeedNames<FeedWorker>;
  readonly #routes = new Map<number, Route>();
  /** The routes of a reader, by its number of the feed. */
  readonly #reading = new Map<FeedWorker, Map<number, number>>();
  #lastRoute = 0;

  /** @param maxNamesPerAccount within 24 h */
  constructor(maxNamesPerAccount: number, clock: Clock = systemClock) {
    this.#names = new FeedNames(maxNamesPerAccount, clock);
  }

  ask(worker: FeedWorker, question: FeedQuestion): FeedPlace | Promise<boolean> | boolean {
    if (question[0] === 'claim') return this.#names.claim(question[1], worker, question[2]);
    const [, name, ask] = question;
    const owner = this.#names.ownerOf(name);
    return owner === null || owner === worker ? false : owner.cancel(name, ask);
  }

  handle(worker: FeedWorker, notice: FeedNotice): void {
    switch (notice[0]) {
      case 'offer':
        return this.#names.offer(notice[1], worker);
      case 'release':
        return this.#names.release(notice[1], worker);
      case 'open':
        return this.#open(worker, notice);
      case 'more':
      case 'close':
        return this.#toOwner(worker, notice);
      default:
        return this.#toReader(worker, notice);
    }
  }

  /** A worker has ended. What it claimed stays claimed. */
  leave(worker: FeedWorker): void {
    this.#names.leave(worker);
    for (const [number, { reader, feed, owner }] of this.#routes) {
      if (reader !== worker && owner !== worker) continue;
      this.#remove(number);
      if (owner === worker && reader !== worker) reader.post(['end', feed, 'gone']);
      else if (owner !== worker) owner.post(['close', number]);
    }
  }

  #open(reader: FeedWorker, notice: Extract<FeedNotice, readonly ['open', ...unknown[]]>, isLast = false): void {
    const [, feed, name, ask] = notice;
    const owner = this.#names.ownerOf(name);
    // What its owner has sent by now is read first: the reader may have heard of the feed before this process.
    if (owner === null && !isLast) return void setImmediate(() => this.#open(reader, notice, true));
    if (owner === null || owner === reader) return reader.post(['end', feed, 'absent']);
    const number = ++this.#lastRoute;
    this.#routes.set(number, { reader, feed, owner });
    const reading = this.#reading.get(reader) ?? new Map<number, number>();
    this.#reading.set(reader, reading.set(feed, number));
    owner.post(['open', number, name, ask]);
  }

  #toOwner(reader: FeedWorker, notice: Extract<FeedNotice, readonly ['more' | 'close', ...unknown[]]>): void {
    const number = this.#reading.get(reader)?.get(notice[1]);
    const route = number === undefined ? undefined : this.#routes.get(number);
    if (number === undefined || route === undefined) return;
    if (notice[0] === 'more') return route.owner.post(['more', number, notice[2]]);
    this.#remove(number);
    route.owner.post(['close', number]);
  }

  #toReader(owner: FeedWorker, answer: FeedAnswer): void {
    const route = this.#routes.get(answer[1]);
    if (route?.owner !== owner) return;
    const { reader, feed } = route;
    switch (answer[0]) {
      case 'opened':
        return reader.post(['opened', feed]);
      case 'item':
        return reader.post(['item', feed, answer[2]]);
      case 'end':
        this.#remove(answer[1]);
        reader.post(['end', feed, answer[2]]);
    }
  }

  #remove(number: number): void {
    const route = this.#routes.get(number);
    this.#routes.delete(number);
    if (route === undefined) return;
    const reading = this.#reading.get(route.reader);
    reading?.delete(route.feed);
    if (reading?.size === 0) this.#reading.delete(route.reader);
  }
}
