import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import type { FeedAnswer, FeedMessages, FeedNotice, FeedUpdate } from '../../live/feeds/feed-messages.ts';
import type { FeedPlace } from '../../live/feeds/remote-feeds.ts';
import { RedisConnection } from '../redis/redis-connection.ts';
import { RedisSubscriber } from '../redis/redis-subscriber.ts';
import type { RedisStoreOptions } from '../redis-options.ts';
import { FeedPeer, type NumberedMessage, type PeerMessage } from './feed-peer.ts';
import { LEASE_MS, RedisFeedNames } from './redis-feed-names.ts';

const CHANNEL = 'sluice:feeds:';
const DEFAULT_TIMEOUT_MS = 1_000;
const RENEW_MS = 5_000;
/** A process that has no feed in common with this one is forgotten. */
const IDLE_MS = 60 * 60_000;
interface Route {
  readonly peer: string;
  readonly name: string;
  /** The reader's number of the feed. */
  readonly feed: number;
}

interface Question {
  readonly askedAt: number;
  readonly resolve: (wasRunning: boolean) => void;
}

/**
 * Feeds of processes that share Redis or Valkey: messages go through publish/subscribe to a channel of each process. They are
 * numbered: where one is lost, the feeds between both processes end with `lost`, and are opened again from the last cursor. A process
 * that sends nothing for the time of a lease counts as ended.
 */
export class RedisFeedMessages implements FeedMessages {
  readonly #names: RedisFeedNames;
  readonly #sender: RedisConnection;
  readonly #receiver: RedisSubscriber;
  readonly #log: FeedLog;
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #peers = new Map<string, FeedPeer>();
  /** The processes of the feeds that are read here, once they are known. */
  readonly #owners = new Map<number, Promise<string | null>>();
  /** Feeds of this process that others read. */
  readonly #routes = new Map<number, Route>();
  readonly #questions = new Map<number, Question>();
  #checkedAt: number;
  #lastRoute = 0;
  #lastQuestion = 0;
  #wasReady = false;
  #isDown = false;
  #update: (update: FeedUpdate) => void = () => undefined;
  #cancel: (name: string, ask: string) => boolean = () => false;

  constructor({ servers, log, timeoutMs, clock = systemClock }: RedisStoreOptions<FeedLog>) {
    this.#log = log;
    this.#clock = clock;
    this.#checkedAt = clock.monotonic();
    this.#sender = new RedisConnection({ servers, timeoutMs, clock, onReady: () => this.#names.sendAgain() });
    this.#names = new RedisFeedNames(this.#sender, timeoutMs ?? DEFAULT_TIMEOUT_MS);
    this.#receiver = new RedisSubscriber({
      servers,
      onReady: () => this.#onReady(),
      onError: (err) => {
        if (!this.#isDown) log.warn({ err }, 'Redis is unavailable; completions are not found at other processes');
        this.#isDown = true;
      },
    });
    this.#timer = clock.setInterval(() => this.#check(), RENEW_MS).unref();
  }

  /** Starts to connect, without waiting: a server starts without it. */
  open(): void {
    void this.#sender.open();
    const receive = (text: string): void => {
      try {
        this.#receive(JSON.parse(text) as NumberedMessage);
      } catch (err) {
        // Nobody but processes of Sluice publishes here: one of another release, perhaps.
        this.#log.warn({ err }, 'a message of another process cannot be read');
      }
    };
    this.#receiver.subscribe(CHANNEL + this.#names.own, receive).catch(() => undefined);
    this.#receiver.open();
  }

  /** What this process claimed stays claimed. */
  close(): void {
    this.#timer.cancel();
    this.#names.leave();
    this.#sender.close(true);
    this.#receiver.close();
  }

  claim(name: string): Promise<FeedPlace> {
    return this.#names.claim(name);
  }

  async cancel(name: string, ask: string): Promise<boolean> {
    const owner = await this.#names.ownerOf(name);
    if (owner === null) return false;
    const question = ++this.#lastQuestion;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#questions.set(question, { askedAt: this.#clock.monotonic(), resolve });
    this.#send(owner, ['cancel', question, name, ask]);
    return promise;
  }

  post(notice: FeedNotice): void {
    switch (notice[0]) {
      case 'offer':
        return this.#names.keep(notice[1]);
      case 'release':
        return this.#names.release(notice[1]);
      case 'open': {
        const [, feed, name, ask] = notice;
        return void this.#openAt(feed, name, ask);
      }
      case 'more':
      case 'close':
        return void this.#toOwner(notice);
      default:
        return this.#toReader(notice);
    }
  }

  onUpdate(listener: (update: FeedUpdate) => void): void {
    this.#update = listener;
  }

  onCancel(listener: (name: string, ask: string) => boolean): void {
    this.#cancel = listener;
  }

  async #openAt(feed: number, name: string, ask: string): Promise<void> {
    const owner = this.#names.ownerOf(name);
    this.#owners.set(
      feed,
      owner.catch(() => null),
    );
    try {
      const process = await owner;
      // It may have been closed meanwhile.
      if (!this.#owners.has(feed)) return;
      if (process === null) return this.#end(feed, 'absent');
      // Its answers would be lost.
      if (this.#isDown || !this.#wasReady) return this.#end(feed, 'lost');
      const peer = this.#peer(process);
      if (peer.isIdle) peer.heardAt = this.#clock.monotonic();
      peer.reading.add(feed);
      this.#send(process, ['open', feed, name, ask]);
    } catch {
      this.#end(feed, 'lost');
    }
  }

  async #toOwner(notice: Extract<FeedNotice, readonly ['more' | 'close', ...unknown[]]>): Promise<void> {
    const [type, feed] = notice;
    const owner = await this.#owners.get(feed);
    if (owner === undefined || owner === null) return;
    this.#send(owner, notice);
    if (type === 'close') this.#forget(owner, feed);
  }

  #toReader(answer: FeedAnswer): void {
    const route = this.#routes.get(answer[1]);
    if (route === undefined) return;
    const { peer, feed } = route;
    if (answer[0] === 'opened') return this.#send(peer, ['opened', feed]);
    if (answer[0] === 'item') return this.#send(peer, ['item', feed, answer[2]]);
    this.#routes.delete(answer[1]);
    this.#peers.get(peer)?.routes.delete(feed);
    this.#send(peer, ['end', feed, answer[2]]);
  }

  #receive([from, number, message]: NumberedMessage): void {
    const peer = this.#peer(from);
    if (peer.receive(number, this.#clock.monotonic())) this.#lost(from, peer);
    const [type] = message;
    switch (type) {
      case 'open': {
        const [, feed, name, ask] = message;
        const route = ++this.#lastRoute;
        this.#routes.set(route, { peer: from, name, feed });
        peer.routes.set(feed, route);
        return this.#update(['open', route, name, ask]);
      }
      case 'more': {
        const route = peer.routes.get(message[1]);
        return route === undefined ? undefined : this.#update(['more', route, message[2]]);
      }
      case 'close':
        return this.#closeRoute(peer, message[1]);
      case 'cancel':
        return this.#send(from, ['cancelled', message[1], this.#cancel(message[2], message[3])]);
      case 'cancelled':
        this.#questions.get(message[1])?.resolve(message[2]);
        return void this.#questions.delete(message[1]);
      case 'reading':
        this.#compare(from, peer, new Set(message[1]));
        return this.#send(from, ['heard']);
      case 'heard':
        return;
      default:
        // One that is closed here already.
        if (!peer.reading.has(message[1])) return;
        if (type === 'end') this.#forget(from, message[1]);
        return this.#update(message);
    }
  }

  /** @param feeds that the process reads */
  #compare(name: string, peer: FeedPeer, feeds: ReadonlySet<number>): void {
    for (const feed of feeds) if (!peer.routes.has(feed)) this.#send(name, ['end', feed, 'lost']);
    for (const feed of peer.routes.keys()) if (!feeds.has(feed)) this.#closeRoute(peer, feed);
  }

  /** Messages of the process were lost. */
  #lost(name: string, peer: FeedPeer, code = 'lost'): void {
    for (const feed of peer.reading) {
      this.#send(name, ['close', feed]);
      this.#end(feed, code, name);
    }
    for (const [feed, number] of peer.routes) {
      const route = this.#routes.get(number);
      // Redis may have lost its data: the reader will look for its owner.
      if (route !== undefined) this.#names.keep(route.name);
      this.#closeRoute(peer, feed);
      this.#send(name, ['end', feed, 'lost']);
    }
  }

  #closeRoute(peer: FeedPeer, feed: number): void {
    const route = peer.routes.get(feed);
    if (route === undefined) return;
    peer.routes.delete(feed);
    this.#routes.delete(route);
    this.#update(['close', route]);
  }

  /** Ends a feed that is read here. */
  #end(feed: number, code: string, owner: string | null = null): void {
    this.#forget(owner, feed);
    this.#update(['end', feed, code]);
  }

  #forget(owner: string | null, feed: number): void {
    this.#owners.delete(feed);
    if (owner !== null) this.#peers.get(owner)?.reading.delete(feed);
  }

  #peer(name: string): FeedPeer {
    const known = this.#peers.get(name);
    if (known !== undefined) return known;
    const peer = new FeedPeer(this.#clock.monotonic());
    this.#peers.set(name, peer);
    return peer;
  }

  /** Messages that were published while it was disconnected are lost. */
  #onReady(): void {
    this.#isDown = false;
    if (this.#wasReady) for (const [name, peer] of this.#peers) this.#lost(name, peer);
    this.#wasReady = true;
  }

  /** Both sides of a feed send each other something all the time: its reader, and its owner an answer. */
  #check(): void {
    // A server that starts again is connected, and refuses commands for seconds.
    this.#names.sendAgain();
    const now = this.#clock.monotonic();
    // This process was stopped: what the others sent meanwhile is read only now.
    const wasStopped = now - this.#checkedAt >= 2 * RENEW_MS;
    this.#checkedAt = now;
    for (const [name, peer] of this.#peers) {
      if (wasStopped) peer.heardAt = now;
      const silentMs = now - peer.heardAt;
      // While this process hears nobody, nobody is known to have ended.
      if (!peer.isIdle && silentMs > LEASE_MS && !this.#isDown) this.#lost(name, peer, 'gone');
      if (peer.reading.size > 0) this.#send(name, ['reading', [...peer.reading]]);
      else if (peer.isIdle && silentMs > IDLE_MS) this.#peers.delete(name);
    }
    for (const [question, { askedAt }] of this.#questions)
      if (now - askedAt > LEASE_MS) this.#questions.delete(question);
  }

  #send(to: string, message: PeerMessage): void {
    const numbered: NumberedMessage = [this.#names.own, this.#peer(to).nextNumber(), message];
    this.#sender.send(null, ['PUBLISH', CHANNEL + to, JSON.stringify(numbered)]).catch(() => undefined);
  }
}

interface FeedLog {
  warn(fields: object, message: string): void;
}
