import { randomBytes } from 'node:crypto';
import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import type { FeedAnswer, FeedMessages, FeedNotice, FeedUpdate } from '../../live/feeds/feed-messages.ts';
import type { FeedPlace } from '../../live/feeds/remote-feeds.ts';
import { RedisConnection } from '../redis/redis-connection.ts';
import { RedisSubscriber } from '../redis/redis-subscriber.ts';
import type { RedisStoreOptions } from '../redis-options.ts';
import { FeedPeer, type NumberedMessage, type PeerMessage } from './feed-peer.ts';

const NAME = 'sluice:feed:';
const PROCESS = 'sluice:feed-process:';
const CHANNEL = 'sluice:feeds:';
/** As long as a request id is claimed. */
const NAME_MS = 24 * 60 * 60_000;
const DEFAULT_TIMEOUT_MS = 1_000;
/** A process that does not renew its lease within this time, or sends nothing, counts as ended. */
const LEASE_MS = 15_000;
const RENEW_MS = 5_000;
/** A process that has no feed in common with this one is forgotten. */
const IDLE_MS = 60 * 60_000;
/** While Redis is unavailable. */
const MAX_UNRELEASED = 10_000;

/** KEYS: name. ARGV: this process, lifetime in ms. Returns another process that has it. */
const CLAIM_SCRIPT = `
local found = redis.call('GET', KEYS[1])
if found and found ~= ARGV[1] then return found end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return false`;

/** KEYS: name. ARGV: this process. */
const RELEASE_SCRIPT = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

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
 * Feeds of processes that share Redis or Valkey: which process has a name is stored there, as durably as that server stores it, and
 * messages go through publish/subscribe to a channel of each process. They are numbered: where one is lost, the feeds between both
 * processes end with `lost`, and are opened again from the last cursor.
 */
export class RedisFeedMessages implements FeedMessages {
  readonly #process = randomBytes(12).toString('base64url');
  readonly #sender: RedisConnection;
  readonly #receiver: RedisSubscriber;
  readonly #log: FeedLog;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #timer: Timer;
  readonly #peers = new Map<string, FeedPeer>();
  /** The processes of the feeds that are read here, once they are known. */
  readonly #owners = new Map<number, Promise<string | null>>();
  /** Feeds of this process that others read. */
  readonly #routes = new Map<number, Route>();
  readonly #questions = new Map<number, Question>();
  /** Names of this process that Redis may not know. */
  readonly #unstored = new Set<string>();
  /** Names that it has released, of which Redis may not know. */
  readonly #unreleased = new Set<string>();
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
    this.#timeoutMs = timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#checkedAt = clock.monotonic();
    this.#sender = new RedisConnection({ servers, timeoutMs, clock, onReady: () => this.#reached() });
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
    this.#receiver.subscribe(CHANNEL + this.#process, receive).catch(() => undefined);
    this.#receiver.open();
  }

  /** What this process claimed stays claimed. */
  close(): void {
    this.#timer.cancel();
    const name = PROCESS + this.#process;
    this.#sender.send(name, ['DEL', name]).catch(() => undefined);
    this.#sender.close(true);
    this.#receiver.close();
  }

  async claim(name: string): Promise<FeedPlace> {
    this.#unreleased.delete(name);
    const found = await this.#script(CLAIM_SCRIPT, NAME + name, [this.#process, String(NAME_MS)]);
    if (typeof found !== 'string') return 'here';
    return (await this.#isAlive(found)) ? 'elsewhere' : 'ended';
  }

  async cancel(name: string, ask: string): Promise<boolean> {
    const owner = await this.#ownerOf(name);
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
        return this.#keep(notice[1]);
      case 'release':
        return this.#release(notice[1]);
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
    const owner = this.#ownerOf(name);
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
      if (route !== undefined) this.#keep(route.name);
      this.#closeRoute(peer, feed);
      this.#send(name, ['end', feed, 'lost']);
    }
  }

  /** Stores that a name is of this process, as soon as Redis is reached. */
  #keep(name: string): void {
    this.#unstored.add(name);
    const stored = (): boolean => this.#unstored.delete(name);
    this.#script(CLAIM_SCRIPT, NAME + name, [this.#process, String(NAME_MS)]).then(stored, () => undefined);
  }

  /** Removes the name, as soon as Redis is reached. */
  #release(name: string): void {
    this.#unstored.delete(name);
    this.#unreleased.add(name);
    const [oldest = name] = this.#unreleased;
    if (this.#unreleased.size > MAX_UNRELEASED) this.#unreleased.delete(oldest);
    const released = (): boolean => this.#unreleased.delete(name);
    this.#script(RELEASE_SCRIPT, NAME + name, [this.#process]).then(released, () => undefined);
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
    this.#renew();
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

  #reached(): void {
    this.#renew();
    for (const name of this.#unstored) this.#keep(name);
    for (const name of this.#unreleased) this.#release(name);
  }

  #renew(): void {
    const name = PROCESS + this.#process;
    this.#sender.send(name, ['SET', name, '1', 'PX', String(LEASE_MS)]).catch(() => undefined);
  }

  /** Another process that has a name, and runs. */
  async #ownerOf(name: string): Promise<string | null> {
    const key = NAME + name;
    const owner = await this.#sender.send(key, ['GET', key], { timeoutMs: this.#timeoutMs });
    if (typeof owner !== 'string' || owner === this.#process) return null;
    return (await this.#isAlive(owner)) ? owner : null;
  }

  async #isAlive(process: string): Promise<boolean> {
    const key = PROCESS + process;
    return (await this.#sender.send(key, ['EXISTS', key], { timeoutMs: this.#timeoutMs })) === 1;
  }

  #script(script: string, key: string, given: readonly string[]): Promise<unknown> {
    return this.#sender.send(key, ['EVAL', script, '1', key, ...given], { timeoutMs: this.#timeoutMs });
  }

  #send(to: string, message: PeerMessage): void {
    const numbered: NumberedMessage = [this.#process, this.#peer(to).nextNumber(), message];
    this.#sender.send(null, ['PUBLISH', CHANNEL + to, JSON.stringify(numbered)]).catch(() => undefined);
  }
}

interface FeedLog {
  warn(fields: object, message: string): void;
}
