import { beforeEach, describe, expect, it } from 'vitest';
import { EventRing } from '../../../src/live/event-ring.ts';
import type { FeedItem } from '../../../src/live/feed.ts';
import { WINDOW, type FeedUpdate } from '../../../src/live/feeds/feed-messages.ts';
import { FeedServer, type FeedWorker } from '../../../src/live/feeds/feed-server.ts';
import { ProcessFeeds } from '../../../src/live/feeds/process-feeds.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_NAMES = 3;
const MAX_REPLY_MS = 5_000;
const ACCOUNT = 'one account';
const NAME = 'completion:one';

interface Worker {
  readonly feeds: ProcessFeeds;
  readonly asServed: FeedWorker;
  readonly ring: EventRing<number>;
}

async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
}

describe('feeds of workers', () => {
  let clock: FakeClock;
  let server: FeedServer;
  let one: Worker;
  let other: Worker;
  let leaving: AbortController;
  /** Items that were passed on. */
  let passed: number;

  beforeEach(() => {
    clock = new FakeClock();
    server = new FeedServer(MAX_NAMES, clock);
    [one, other] = [startWorker(), startWorker()];
    leaving = new AbortController();
    passed = 0;
  });

  function startWorker(): Worker {
    const ring = new EventRing<number>({ events: 1_000, weight: 1_000 });
    let receive: (update: FeedUpdate) => void = () => undefined;
    let cancel: (name: string, ask: string) => boolean = () => false;
    const asServed: FeedWorker = {
      post: (update) => {
        if (update[0] === 'item') passed++;
        receive(JSON.parse(JSON.stringify(update)));
      },
      cancel: async (name, ask) => cancel(name, ask),
    };
    const feeds = new ProcessFeeds(
      {
        claim: async (name, accountId) => JSON.parse(JSON.stringify(server.ask(asServed, ['claim', name, accountId]))),
        cancel: async (name, ask) => (await server.ask(asServed, ['cancel', name, ask])) === true,
        post: (notice) => server.handle(asServed, JSON.parse(JSON.stringify(notice))),
        onUpdate: (listener) => (receive = listener),
        onCancel: (listener) => (cancel = listener),
      },
      clock,
    );
    feeds.serve('completion', {
      open: (ask, signal) => {
        if (ask === 'missing') return null;
        if (ask === 'refused') throw Object.assign(new Error('no'), { code: 'resume_gap' });
        return ring.read(ask === '' ? ring.start : ask, signal);
      },
      cancel: (ask) => ask === 'running',
    });
    return { feeds, asServed, ring };
  }

  function push(from: number, to: number): void {
    for (let number = from; number < to; number++) one.ring.push(number, 1);
  }

  async function follow(ask = ''): Promise<AsyncIterableIterator<FeedItem<number>>> {
    const items = await other.feeds.follow<number>(NAME, ask, leaving.signal);
    if (items === null) throw new Error('no worker has it');
    return items;
  }

  async function take(items: AsyncIterableIterator<FeedItem<number>>, count: number): Promise<unknown[]> {
    const seen: unknown[] = [];
    while (seen.length < count) {
      const { value, done } = await items.next();
      if (done === true) break;
      seen.push(value.type === 'event' ? value.event : value.type);
    }
    return seen;
  }

  const numbers = (count: number): number[] => Array.from({ length: count }, (_each, number) => number);

  it('have one owner each, for a day, also where that worker has ended', async () => {
    expect(await one.feeds.claim(NAME, ACCOUNT)).toBe('here');
    expect(await one.feeds.claim(NAME, ACCOUNT)).toBe('here');
    expect(await other.feeds.claim(NAME, ACCOUNT)).toBe('elsewhere');
    other.feeds.release(NAME);
    expect(await other.feeds.claim(NAME, ACCOUNT)).toBe('elsewhere');
    server.leave(one.asServed);
    expect(await other.feeds.claim(NAME, ACCOUNT)).toBe('ended');
    clock.advance(DAY_MS);
    expect(await other.feeds.claim(NAME, ACCOUNT)).toBe('here');
  });

  it('are refused to an account with as many as it may have, until one expires or is released, and to no other', async () => {
    expect(await one.feeds.claim('a', ACCOUNT)).toBe('here');
    clock.advance(HOUR_MS);
    for (const name of ['b', 'c']) expect(await other.feeds.claim(name, ACCOUNT)).toBe('here');
    // Also those of a worker that has ended.
    server.leave(other.asServed);
    expect(await one.feeds.claim('d', ACCOUNT)).toEqual({ limit: MAX_NAMES, retryAfterMs: DAY_MS - HOUR_MS });
    expect(await one.feeds.claim('a', ACCOUNT)).toBe('here');
    for (const name of ['e', 'f', 'g']) expect(await one.feeds.claim(name, 'another')).toBe('here');
    expect(await one.feeds.claim('d', ACCOUNT)).toMatchObject({ limit: MAX_NAMES });
    one.feeds.release('a');
    expect(await one.feeds.claim('d', ACCOUNT)).toBe('here');
    clock.advance(DAY_MS);
    for (const name of ['h', 'i', 'j']) expect(await one.feeds.claim(name, ACCOUNT)).toBe('here');
  });

  it('count against no limit where they are offered, and are free again where their worker ends', async () => {
    for (const name of ['k', 'l', 'm', 'n', NAME]) one.feeds.offer(name);
    for (const name of ['a', 'b']) expect(await one.feeds.claim(name, ACCOUNT)).toBe('here');
    expect(await other.feeds.claim(NAME, ACCOUNT)).toBe('elsewhere');
    server.leave(one.asServed);
    expect(await other.feeds.claim(NAME, ACCOUNT)).toBe('here');
  });

  it('are read by other workers, from their start or after a cursor, to their end', async () => {
    one.feeds.offer(NAME);
    push(0, 3);
    const items = await follow();
    expect(await take(items, 3)).toEqual([0, 1, 2]);
    const resumed = await follow(one.ring.end);
    push(3, 5);
    one.ring.close();
    expect(await take(items, 10)).toEqual([3, 4]);
    expect(await take(resumed, 10)).toEqual([3, 4]);
  });

  it('are not opened for a reader that has left', async () => {
    one.feeds.offer(NAME);
    push(0, 1);
    leaving.abort();
    expect(await take(await follow(), 1)).toEqual([]);
    await settled();
    expect([one.ring.readers, passed]).toEqual([0, 0]);
  });

  it('are not sent faster than they are read', async () => {
    one.feeds.offer(NAME);
    push(0, 500);
    const items = await follow();
    await settled();
    expect(passed).toBe(WINDOW);
    expect(await take(items, WINDOW)).toEqual(numbers(WINDOW));
    await settled();
    expect(passed).toBeLessThanOrEqual(2 * WINDOW);
    one.ring.close();
    expect(await take(items, 1_000)).toEqual(numbers(500).slice(WINDOW));
  });

  it('are closed at their owner when the reader leaves', async () => {
    one.feeds.offer(NAME);
    const items = await follow();
    const next = items.next();
    await settled();
    expect(one.ring.readers).toBe(1);
    leaving.abort();
    expect(await next).toMatchObject({ done: true });
    await settled();
    expect(one.ring.readers).toBe(0);
  });

  it('end with an error where their worker ends, refuses or does not have them', async () => {
    expect(await other.feeds.follow(NAME, '', leaving.signal)).toBeNull();
    one.feeds.offer(NAME);
    expect(await other.feeds.follow(NAME, 'missing', leaving.signal)).toBeNull();
    await expect(other.feeds.follow(NAME, 'refused', leaving.signal)).rejects.toMatchObject({ code: 'resume_gap' });
    push(0, 1);
    const items = await follow();
    expect(await take(items, 1)).toEqual([0]);
    server.leave(one.asServed);
    await expect(items.next()).rejects.toMatchObject({ code: 'gone' });
    expect(await other.feeds.follow(NAME, '', leaving.signal)).toBeNull();
  });

  it('are told apart where their worker does not respond', async () => {
    one.feeds.offer(NAME);
    one.asServed.post = () => undefined;
    const opened = other.feeds.follow(NAME, '', leaving.signal);
    const failed = expect(opened).rejects.toMatchObject({ code: 'unresponsive' });
    await clock.advanceAsync(MAX_REPLY_MS);
    await failed;
  });

  it('are cancelled by other workers', async () => {
    expect(await other.feeds.cancel(NAME, 'running')).toBe(false);
    one.feeds.offer(NAME);
    expect(await other.feeds.cancel(NAME, 'running')).toBe(true);
    expect(await other.feeds.cancel(NAME, 'ended')).toBe(false);
  });
});
