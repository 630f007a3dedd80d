import { randomBytes } from 'node:crypto';
import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import type { BusListener, LiveBus } from '../../live/live-bus.ts';
import { RedisConnection } from '../redis/redis-connection.ts';
import type { RedisServers } from '../redis/redis-servers.ts';
import { RedisSubscriber } from '../redis/redis-subscriber.ts';

const CHANNEL = 'sluice:live:';
const WANTED = 'sluice:live-wanted';
const ANNOUNCE_INTERVAL_MS = 4_000;
/** A process that does not announce its topics within this time counts as not listening. */
const INTEREST_TTL_MS = 15_000;
/** Maximum number of unconfirmed messages; further events are omitted, and listeners are notified of the loss. */
const MAX_UNSENT = 5_000;
const MAX_TOPICS_PER_MESSAGE = 500;

export interface LiveBusLog {
  warn(fields: object, message: string): void;
}

interface TopicSubscription {
  readonly listeners: Set<BusListener>;
  /** The last number of each publishing process. */
  readonly last: Map<string, number>;
  readonly receive: (message: string) => void;
}

/**
 * Live events through Redis' or Valkey's publish/subscribe. Each process periodically announces its topics, so that others
 * publish only events with listeners. Messages of a process are numbered: listeners are notified of lost messages and lost
 * connections.
 */
export class RedisLiveBus implements LiveBus {
  readonly #name = randomBytes(8).toString('base64url');
  readonly #sender: RedisConnection;
  readonly #receiver: RedisSubscriber;
  readonly #subscriptions = new Map<string, TopicSubscription>();
  /** When the announcements of other processes expire, by topic; by the clock's `monotonic`. */
  readonly #wantedUntil = new Map<string, number>();
  /** The last number per topic that this process published. */
  readonly #numbers = new Map<string, number>();
  readonly #clock: Clock;
  readonly #timer: Timer;
  #unsent = 0;
  #down = false;
  #wasReady = false;

  constructor(servers: RedisServers, log: LiveBusLog, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#sender = new RedisConnection({ servers });
    this.#receiver = new RedisSubscriber({
      servers,
      onReady: () => this.#onReady(),
      onError: (err) => {
        if (!this.#down) log.warn({ err }, 'Redis is unavailable; live events of other processes are lost');
        this.#down = true;
      },
    });
    this.#timer = clock.setInterval(() => this.#announceAll(), ANNOUNCE_INTERVAL_MS).unref();
  }

  /** Starts to connect, without waiting: a server starts without it. */
  open(): void {
    const announce = (): void => {
      this.#announceAll();
      this.#ask();
    };
    void this.#sender.open().then(announce);
    this.#receiver.open();
    this.#receiver.subscribe(WANTED, (message) => this.#receiveInterest(message)).then(announce, () => undefined);
  }

  close(): void {
    this.#timer.cancel();
    this.#sender.close();
    this.#receiver.close();
  }

  hasSubscribers(topic: string): boolean {
    if (this.#wantedUntil.size === 0) return false;
    return (this.#wantedUntil.get(topic) ?? 0) > this.#clock.monotonic();
  }

  publish(topic: string, message: string): void {
    if (!this.hasSubscribers(topic)) return;
    // Counted even if it cannot be sent, so that the next one reveals the loss.
    const number = (this.#numbers.get(topic) ?? 0) + 1;
    this.#numbers.set(topic, number);
    if (this.#unsent < MAX_UNSENT) this.#send(CHANNEL + topic, `${this.#name} ${number} ${message}`);
  }

  listen(topic: string, listener: BusListener): () => void {
    let heard = this.#subscriptions.get(topic);
    if (heard === undefined) {
      heard = this.#subscribe(topic);
      this.#subscriptions.set(topic, heard);
    }
    heard.listeners.add(listener);
    const { listeners } = heard;
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#subscriptions.get(topic)?.listeners !== listeners) return;
      this.#subscriptions.delete(topic);
      this.#receiver.unsubscribe(CHANNEL + topic).catch(() => undefined);
    };
  }

  #subscribe(topic: string): TopicSubscription {
    const heard: TopicSubscription = {
      listeners: new Set(),
      last: new Map(),
      receive: (message) => this.#receive(heard, message),
    };
    this.#receiver
      .subscribe(CHANNEL + topic, heard.receive)
      .then(() => this.#announce([topic]))
      .catch(() => undefined);
    return heard;
  }

  #receive({ listeners, last }: TopicSubscription, text: string): void {
    const [, from = '', numberText = '', message = ''] = /^(\S+) (\d+) (.*)$/s.exec(text) ?? [];
    if (from === '' || from === this.#name) return;
    const number = Number(numberText);
    const before = last.get(from);
    last.set(from, number);
    for (const listener of listeners) {
      if (before !== undefined && number !== before + 1) listener.onLoss();
      listener.onMessage(message);
    }
  }

  /** Messages published while disconnected are lost. */
  #onReady(): void {
    if (this.#wasReady)
      for (const { listeners, last } of this.#subscriptions.values()) {
        last.clear();
        for (const listener of listeners) listener.onLoss();
      }
    this.#wasReady = true;
    this.#down = false;
    this.#announceAll();
    this.#ask();
  }

  #ask(): void {
    this.#send(WANTED, `${this.#name} ?`);
  }

  #receiveInterest(message: string): void {
    const [from = '', asked = '', ...topics] = message.split(' ');
    if (from === this.#name) return;
    if (asked === '?') return this.#announceAll();
    const until = this.#clock.monotonic() + INTEREST_TTL_MS;
    for (const topic of topics) this.#wantedUntil.set(topic, until);
  }

  #announceAll(): void {
    const now = this.#clock.monotonic();
    for (const [topic, until] of this.#wantedUntil) {
      if (until > now) continue;
      this.#wantedUntil.delete(topic);
      this.#numbers.delete(topic);
    }
    const topics = [...this.#subscriptions.keys()];
    for (let at = 0; at < topics.length; at += MAX_TOPICS_PER_MESSAGE)
      this.#announce(topics.slice(at, at + MAX_TOPICS_PER_MESSAGE));
  }

  #announce(topics: readonly string[]): void {
    this.#send(WANTED, `${this.#name} ! ${topics.join(' ')}`);
  }

  #send(channel: string, message: string): void {
    if (!this.#sender.isReady) return;
    this.#unsent++;
    const sent = (): void => void this.#unsent--;
    this.#sender.send(null, ['PUBLISH', channel, message]).then(sent, sent);
  }
}
