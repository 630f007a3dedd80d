import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { RemoteCompletions } from '../../../src/gateway/completions/remote-completions.ts';
import { EventRing } from '../../../src/live/event-ring.ts';
import type { CompletionUpdate } from '../../../src/live/events.ts';
import type { FeedItem } from '../../../src/live/feed.ts';
import { WINDOW } from '../../../src/live/feeds/feed-messages.ts';
import { ProcessFeeds } from '../../../src/live/feeds/process-feeds.ts';
import { RedisFeedMessages } from '../../../src/storage/live/redis-feed-messages.ts';
import { systemClock } from '../../../src/calendar/clock.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { describeWithRedis, startRedis, UNREACHED_TIMEOUT_MS, type RunningRedis } from '../../harness/redis.ts';

const quiet = { warn: () => undefined };
const NAME = 'counting:one';
const ACCOUNT = 'an account';
/** After which a process that sends nothing counts as ended. */
const LEASE_MS = 15_000;
const RENEW_MS = 5_000;

/** The clock of a process that can be stopped, as by SIGSTOP: its timers run late. */
class StoppableClock extends FakeClock {
  stoppedMs = 0;

  override monotonic(): number {
    return super.monotonic() + this.stoppedMs;
  }
}

interface Process {
  readonly clock: StoppableClock;
  readonly messages: RedisFeedMessages;
  readonly feeds: ProcessFeeds;
  readonly ring: EventRing<bigint>;
  readonly cancelled: string[];
  /** How many of its feeds are read. */
  readonly reading: () => number;
}

describeWithRedis('feeds over Redis', () => {
  let redis: RunningRedis;
  let one: Process;
  let other: Process;
  let leaving: AbortController;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  beforeEach(async () => {
    leaving = new AbortController();
    [one, other] = [start(), start()];
    await areConnected(one, other);
  });

  afterEach(async () => {
    leaving.abort();
    for (const { messages } of [one, other]) messages.close();
    const client = await createClient({ url: redis.url }).connect();
    await client.flushAll();
    client.destroy();
  });

  function start(): Process {
    const clock = new StoppableClock();
    const messages = new RedisFeedMessages({
      servers: redis.servers,
      log: quiet,
      timeoutMs: UNREACHED_TIMEOUT_MS,
      clock,
    });
    messages.open();
    // By the clock of the system: what it waits for is Redis and the other process.
    const feeds = new ProcessFeeds(messages, systemClock);
    const ring = new EventRing<bigint>({ events: 10_000, weight: 10_000 });
    const cancelled: string[] = [];
    feeds.serve('counting', {
      open: (ask, signal) => {
        if (ask === 'missing') return null;
        if (ask === 'refused') throw Object.assign(new Error('no'), { code: 'resume_gap' });
        return ring.read(ask === '' ? ring.start : ask, signal);
      },
      cancel: (ask) => cancelled.push(ask) > 0,
    });
    return { clock, messages, feeds, ring, cancelled, reading: () => ring.readers };
  }

  /** Each hears the other. */
  async function areConnected(...processes: readonly Process[]): Promise<void> {
    for (const [at, { feeds }] of processes.entries())
      for (const [from, reader] of processes.entries()) {
        if (from === at) continue;
        const name = `counting:${at}-${from}`;
        const ask = async (): Promise<boolean> => {
          // Until it is connected, nothing is stored.
          feeds.offer(name);
          return reader.feeds.cancel(name, 'connected?').catch(() => false);
        };
        await expect.poll(ask, { interval: 20 }).toBe(true);
        feeds.release(name);
      }
    for (const { cancelled } of processes) cancelled.length = 0;
  }

  function push(from: number, to: number): void {
    for (let number = from; number < to; number++) one.ring.push(BigInt(number), 1);
  }

  async function follow(ask = ''): Promise<AsyncIterableIterator<FeedItem<bigint>>> {
    const items = await other.feeds.follow<bigint>(NAME, ask, leaving.signal);
    if (items === null) throw new Error('no process has it');
    return items;
  }

  async function take(items: AsyncIterableIterator<FeedItem<bigint>>, count: number): Promise<unknown[]> {
    const seen: unknown[] = [];
    while (seen.length < count) {
      const { value, done } = await items.next();
      if (done === true) break;
      seen.push(value.type === 'event' ? value.event : value.type);
    }
    return seen;
  }

  const numbers = (from: number, to: number): bigint[] =>
    Array.from({ length: to - from }, (_each, at) => BigInt(from + at));

  it('have one owner each, also where that process has ended, until it releases them', async () => {
    expect(await one.feeds.claim(NAME, ACCOUNT)).toBe('here');
    expect(await one.feeds.claim(NAME, ACCOUNT)).toBe('here');
    expect(await other.feeds.claim(NAME, ACCOUNT)).toBe('elsewhere');
    other.feeds.release(NAME);
    expect(await other.feeds.claim(NAME, ACCOUNT)).toBe('elsewhere');
    expect(await one.feeds.claim('counting:two', ACCOUNT)).toBe('here');
    one.feeds.release(NAME);
    await expect.poll(() => other.feeds.claim(NAME, ACCOUNT)).toBe('here');
    one.messages.close();
    await expect.poll(() => other.feeds.claim('counting:two', ACCOUNT)).toBe('ended');
    expect(await other.feeds.follow('counting:two', '', leaving.signal)).toBeNull();
  });

  it('are released once Redis is back, also where the response to their claim was lost', async () => {
    redis.pause();
    const claimed = one.feeds.claim(NAME, ACCOUNT);
    const failed = expect(claimed).rejects.toThrow('did not respond');
    // The command is sent.
    await new Promise((resolve) => setImmediate(resolve));
    one.clock.advance(UNREACHED_TIMEOUT_MS);
    await failed;
    one.feeds.release(NAME);
    redis.resume();
    await expect.poll(() => other.feeds.claim(NAME, ACCOUNT)).toBe('here');
  });

  it('are read in order, whole, by readers that are as slow as they like', async () => {
    await one.feeds.claim(NAME, ACCOUNT);
    push(0, 2 * WINDOW);
    const items = await follow();
    expect(await take(items, 1)).toEqual([0n]);
    push(2 * WINDOW, 1_000);
    one.ring.close();
    expect(await take(items, 2_000)).toEqual(numbers(1, 1_000));
    expect(one.reading()).toBe(0);
  });

  it('go on where another process publishes what is no message', async () => {
    const client = await createClient({ url: redis.url }).connect();
    const channels = await client.pubSubChannels('sluice:feeds:*');
    expect(channels).toHaveLength(2);
    for (const channel of channels)
      for (const text of ['{', '[]', '["x",1]', 'null']) await client.publish(channel, text);
    client.destroy();
    await one.feeds.claim(NAME, ACCOUNT);
    push(0, 3);
    one.ring.close();
    expect(await take(await follow(), 10)).toEqual(numbers(0, 3));
  });

  it('are absent, or fail with the error of their owner', async () => {
    expect(await other.feeds.follow(NAME, '', leaving.signal)).toBeNull();
    one.feeds.offer(NAME);
    await expect.poll(() => other.feeds.claim(NAME, ACCOUNT)).toBe('elsewhere');
    expect(await one.feeds.follow(NAME, '', leaving.signal)).toBeNull();
    expect(await other.feeds.follow(NAME, 'missing', leaving.signal)).toBeNull();
    await expect(other.feeds.follow(NAME, 'refused', leaving.signal)).rejects.toMatchObject({ code: 'resume_gap' });
  });

  it('are closed at their owner when their reader leaves', async () => {
    await one.feeds.claim(NAME, ACCOUNT);
    await follow();
    await expect.poll(one.reading).toBe(1);
    leaving.abort();
    await expect.poll(one.reading).toBe(0);
  });

  it('are cancelled at their owner', async () => {
    await one.feeds.claim(NAME, ACCOUNT);
    expect(await other.feeds.cancel(NAME, 'one')).toBe(true);
    expect(one.cancelled).toEqual(['one']);
    expect(await one.feeds.cancel(NAME, 'one')).toBe(false);
    expect(await other.feeds.cancel('counting:other', 'one')).toBe(false);
  });

  it('end with their owner, and are closed where their reader is gone', async () => {
    await one.feeds.claim(NAME, ACCOUNT);
    push(0, 1);
    const items = await follow();
    expect(await take(items, 1)).toEqual([0n]);
    await expect.poll(one.reading).toBe(1);
    // Neither hears the other any more.
    one.messages.close();
    for (let ms = 0; ms <= LEASE_MS; ms += RENEW_MS) {
      one.clock.advance(RENEW_MS);
      other.clock.advance(RENEW_MS);
    }
    await expect(items.next()).rejects.toMatchObject({ code: 'gone' });
  });

  it('are read on by a reader that was stopped for longer than others wait for it', async () => {
    await one.feeds.claim(NAME, ACCOUNT);
    push(0, 1);
    const items = await follow();
    expect(await take(items, 1)).toEqual([0n]);
    other.clock.stoppedMs = 4 * LEASE_MS;
    other.clock.advance(RENEW_MS);
    push(1, 3);
    expect(await take(items, 2)).toEqual([1n, 2n]);
  });

  it('are closed at their owner where their reader says nothing any more', async () => {
    await one.feeds.claim(NAME, ACCOUNT);
    await follow();
    await expect.poll(one.reading).toBe(1);
    for (let ms = 0; ms <= LEASE_MS; ms += RENEW_MS) one.clock.advance(RENEW_MS);
    await expect.poll(one.reading).toBe(0);
  });

  it('of completions are resumed without a loss after Redis was away, and has lost its data', async () => {
    const ring = new EventRing<CompletionUpdate>({ events: 10_000, weight: 10_000 });
    const name = { accountId: ACCOUNT, keyId: 'a key', clientRequestId: 'an id' };
    const own = { read: () => null, cancel: () => false };
    const running = new RemoteCompletions(
      one.feeds,
      { ...own, read: (_name, { after }, signal) => ring.read(after ?? ring.start, signal) },
      systemClock,
    );
    const reading = new RemoteCompletions(other.feeds, own, systemClock);
    const resumed = { fingerprint: '', after: null };
    expect(await running.open(name, resumed, leaving.signal)).toBeNull();
    const items = await reading.open(name, resumed, leaving.signal);
    if (items === null) throw new Error('it runs elsewhere');
    const pushed = (from: number, to: number): void => {
      for (let at = from; at < to; at++) ring.push({ type: 'delta', choice: 0, text: `${at}` }, 1);
    };
    pushed(0, 200);
    const texts: unknown[] = [];
    for (let count = 0; count < 100; count++) {
      const { value } = await items.next();
      texts.push(value.event.text);
    }
    await redis.kill();
    pushed(200, 400);
    const rest = (async () => {
      for await (const item of items)
        texts.push(item.type === 'event' && 'text' in item.event ? item.event.text : null);
    })();
    await redis.start();
    pushed(400, 600);
    ring.close();
    await rest;
    expect(texts).toEqual(Array.from({ length: 600 }, (_each, at) => `${at}`));
  });
});
