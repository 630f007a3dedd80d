import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { FeedAnswer, FeedNotice, FeedQuestion, FeedUpdate } from './feed-messages.ts';
import type { FeedPlace } from './remote-feeds.ts';

/** As long as a request id is claimed. */
const NAME_MS = 24 * 60 * 60_000;
const SWEEP_MS = 10 * 60_000;
const MAX_NAMES = 1_000_000;

/** A running worker. */
export interface FeedWorker {
  post(update: FeedUpdate): void;
  cancel(name: string, ask: string): Promise<boolean>;
}

interface Name {
  /** Null for a worker that has ended. */
  readonly owner: FeedWorker | null;
  readonly expiresAt: number;
}

interface Route {
  readonly reader: FeedWorker;
  /** The reader's number of the feed. */
  readonly feed: number;
  readonly owner: FeedWorker;
}

/** Knows which worker has which feed, and passes the items on to readers at other workers. */
export class FeedServer {
  readonly #clock: Clock;
  readonly #maxNames: number;
  readonly #names = new Map<string, Name>();
  readonly #routes = new Map<number, Route>();
  /** The routes of a reader, by its number of the feed. */
  readonly #reading = new Map<FeedWorker, Map<number, number>>();
  #lastRoute = 0;

  constructor(clock: Clock = systemClock, maxNames = MAX_NAMES) {
    this.#clock = clock;
    this.#maxNames = maxNames;
    clock.setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  ask(worker: FeedWorker, question: FeedQuestion): FeedPlace | Promise<boolean> | boolean {
    if (question[0] === 'claim') return this.#claim(worker, question[1]);
    const [, name, ask] = question;
    const owner = this.#ownerOf(name);
    return owner === null || owner === worker ? false : owner.cancel(name, ask);
  }

  handle(worker: FeedWorker, notice: FeedNotice): void {
    switch (notice[0]) {
      case 'offer':
        return void this.#claim(worker, notice[1]);
      case 'release':
        if (this.#names.get(notice[1])?.owner === worker) this.#names.delete(notice[1]);
        return;
      case 'open':
        return this.#open(worker, notice);
      case 'more':
      case 'close':
        return this.#toOwner(worker, notice);
      default:
        return this.#toReader(worker, notice);
    }
  }

  /** A worker has ended. Its names stay claimed. */
  leave(worker: FeedWorker): void {
    for (const [name, { owner, expiresAt }] of this.#names)
      if (owner === worker) this.#names.set(name, { owner: null, expiresAt });
    for (const [number, { reader, feed, owner }] of this.#routes) {
      if (reader !== worker && owner !== worker) continue;
      this.#remove(number);
      if (owner === worker && reader !== worker) reader.post(['end', feed, 'gone']);
      else if (owner !== worker) owner.post(['close', number]);
    }
  }

  #claim(worker: FeedWorker, name: string): FeedPlace {
    const known = this.#names.get(name);
    const now = this.#clock.monotonic();
    if (known !== undefined && known.owner !== worker && known.expiresAt > now)
      return known.owner === null ? 'ended' : 'elsewhere';
    if (known === undefined && this.#names.size >= this.#maxNames) return 'full';
    this.#names.set(name, { owner: worker, expiresAt: now + NAME_MS });
    return 'here';
  }

  #open(reader: FeedWorker, notice: Extract<FeedNotice, readonly ['open', ...unknown[]]>, isLast = false): void {
    const [, feed, name, ask] = notice;
    const owner = this.#ownerOf(name);
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

  #ownerOf(name: string): FeedWorker | null {
    return this.#names.get(name)?.owner ?? null;
  }

  #sweep(): void {
    const now = this.#clock.monotonic();
    for (const [name, { expiresAt }] of this.#names) if (expiresAt <= now) this.#names.delete(name);
  }
}
