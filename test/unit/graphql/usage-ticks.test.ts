import { expect, test } from 'vitest';
import { usageTicks, type Tick } from '../../../src/graphql/usage/usage-ticks.ts';
import type { CompletionUpdate } from '../../../src/live/events.ts';
import { UsageTickers } from '../../../src/graphql/usage/usage-tickers.ts';
import type { LiveFeed } from '../../../src/live/feed.ts';
import { LiveHub } from '../../../src/live/live-hub.ts';
import type { UsageTotals } from '../../../src/services/usage/report/usage-report.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

const nothing: UsageTotals = {
  requests: 0,
  errors: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  costNano: 0n,
  duration: null,
  firstToken: null,
  outputSpeed: null,
  promptCacheRequests: 0,
  promptCacheSavingsNano: 0n,
  responseCacheRequests: 0,
  responseCacheSavingsNano: 0n,
};
const finished: CompletionUpdate = {
  type: 'finished',
  finishReason: 'stop',
  inputTokens: 3,
  outputTokens: 5,
  cachedTokens: 0,
  reasoningTokens: 0,
  estimated: false,
  costNano: 7n,
  durationMs: 1,
  firstTokenMs: null,
};

interface Watched {
  readonly clock: FakeClock;
  readonly ticks: AsyncIterableIterator<Tick>;
  /** Stored totals of the day. */
  store(totals: Partial<UsageTotals> | null): void;
  publish(update: CompletionUpdate, accountId?: string): void;
  leave(): void;
}

function watch(intervalMs: number): Watched {
  const clock = new FakeClock();
  const hub = new LiveHub();
  const leaving = new AbortController();
  let today: UsageTotals | null = nothing;
  return {
    clock,
    ticks: usageTicks(hub, 'mine', async () => today, intervalMs, leaving.signal, clock),
    store: (totals) => {
      today = totals && { ...nothing, ...totals };
    },
    publish: (update, accountId = 'mine') =>
      hub.publish({ accountId, apiKeyId: 'key', requestId: 'req', model: 'a/b', at: 0, update }),
    leave: () => leaving.abort(),
  };
}

/** Advances the clock and returns the next tick. */
async function next({ clock, ticks }: Watched, afterMs = 0): Promise<Tick> {
  const coming = ticks.next();
  await clock.advanceAsync(afterMs);
  const { value, done } = await coming;
  if (done) throw new Error('the ticks have ended');
  return value;
}

test('emits a tick immediately, then after completions of the account have ended', async () => {
  const watched = watch(1);
  expect(await next(watched)).toMatchObject({ totals: { requests: 0, costNano: 0n }, today: nothing });
  watched.publish(finished, 'others');
  watched.publish({ type: 'started', model: 'a/b', provider: 'a' });
  watched.publish(finished);
  const tick = await next(watched);
  expect(tick.totals).toEqual({ requests: 1, errors: 0, inputTokens: 3, outputTokens: 5, costNano: 7n });
  watched.publish({ type: 'failed', code: 'x', message: '', aborted: false });
  watched.publish({ type: 'failed', code: 'x', message: '', aborted: true });
  expect((await next(watched, 1)).totals).toMatchObject({ requests: 3, errors: 1, costNano: 7n });
  watched.leave();
  expect((await watched.ticks.next()).done).toBe(true);
});

test('emits at most one tick per interval', async () => {
  const watched = watch(400);
  await next(watched);
  watched.publish(finished);
  const first = await next(watched);
  for (let more = 0; more < 50; more++) watched.publish(finished);
  const second = await next(watched, 1_000);
  expect(second.at.getTime() - first.at.getTime()).toBe(400);
  expect(second.totals.requests).toBe(51);
  watched.leave();
});

test('emits another tick when requests stored later change the day’s total', async () => {
  const watched = watch(1);
  await next(watched);
  watched.publish(finished);
  expect((await next(watched)).today).toEqual(nothing);
  watched.store({ requests: 1, costNano: 7n });
  const late = await next(watched, 1 + 1_500);
  expect([late.totals.requests, late.today?.costNano]).toEqual([1, 7n]);
  watched.leave();
});

test('continues without the day’s total while it cannot be read', async () => {
  const watched = watch(1);
  watched.store(null);
  expect((await next(watched)).today).toBeNull();
  watched.publish(finished);
  expect(await next(watched)).toMatchObject({ today: null, totals: { requests: 1 } });
  watched.leave();
});

test('ends on abort while idle', async () => {
  const watched = watch(1);
  await next(watched);
  const waiting = watched.ticks.next();
  watched.leave();
  expect((await waiting).done).toBe(true);
});

test('ends when the feed ends', async () => {
  const [told, isClosed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const feed: LiveFeed = {
    async *subscribe(_accountId, _keyId, signal) {
      signal.addEventListener('abort', () => told.resolve());
      await isClosed.promise;
      yield* [];
    },
  };
  const ticks = usageTicks(feed, 'mine', async () => nothing, 1, new AbortController().signal, new FakeClock());
  await ticks.next();
  const order: string[] = [];
  const over = ticks.return?.().then(() => order.push('over'));
  await told.promise;
  await new Promise((resolve) => setImmediate(resolve));
  order.push('closed');
  isClosed.resolve();
  await over;
  expect(order).toEqual(['closed', 'over']);
});

test('ends with the error of the feed, also when no tick is being awaited', async () => {
  const { promise: broken, reject: breakFeed } = Promise.withResolvers<never>();
  const feed: LiveFeed = {
    async *subscribe() {
      yield await broken;
    },
  };
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', onUnhandled);
  try {
    const ticks = usageTicks(feed, 'mine', async () => nothing, 1, new AbortController().signal, new FakeClock());
    await ticks.next();
    breakFeed(new Error('broken'));
    // Unhandled rejections are reported before the next macrotask.
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
    await expect(ticks.next()).rejects.toThrow('broken');
  } finally {
    process.off('unhandledRejection', onUnhandled);
  }
});

test('shares one ticker per account and interval', async () => {
  const hub = new LiveHub();
  let reads = 0;
  const tickers = new UsageTickers(hub, { today: async () => ({ ...nothing, requests: ++reads }) }, new FakeClock());
  const leaving = Array.from({ length: 50 }, () => new AbortController());
  const all = leaving.map(({ signal }) => tickers.subscribe('mine', 1, signal));
  const other = new AbortController();
  const stranger = tickers.subscribe('others', 1, other.signal);
  const first = await Promise.all(all.map(async (ticks) => (await ticks.next()).value));
  expect(new Set(first).size).toBe(1);
  expect(reads).toBe(1);
  expect((await stranger.next()).value.today.requests).toBe(2);
  const event = { accountId: 'mine', apiKeyId: 'key', requestId: 'req', model: 'a/b', at: 0, update: finished };
  hub.publish(event);
  const second = await Promise.all(all.map(async (ticks) => (await ticks.next()).value));
  expect(new Set(second).size).toBe(1);
  expect(second[0]?.totals.requests).toBe(1);
  for (const each of [...leaving, other]) each.abort();
  expect((await Promise.all(all.map((ticks) => ticks.next()))).every(({ done }) => done)).toBe(true);
  // A subscriber after all others have left starts a new ticker.
  const again = new AbortController();
  const anew = tickers.subscribe('mine', 1, again.signal);
  expect((await anew.next()).value.totals.requests).toBe(0);
  again.abort();
  expect((await anew.next()).done).toBe(true);
});

test('throws a failure to all subscribers, and starts a new ticker for the next one', async () => {
  let isBroken = true;
  const today = async () => {
    if (isBroken) throw new Error('broken');
    return nothing;
  };
  const tickers = new UsageTickers(new LiveHub(), { today });
  const leaving = new AbortController();
  const all = [1, 2].map(() => tickers.subscribe('mine', 1, leaving.signal));
  for (const ticks of all) await expect(ticks.next()).rejects.toThrow('broken');
  isBroken = false;
  expect((await tickers.subscribe('mine', 1, leaving.signal).next()).value.today).toEqual(nothing);
  leaving.abort();
});
