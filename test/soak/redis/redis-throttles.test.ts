import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { RedisThrottles } from '../../../src/storage/redis-throttles.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { askServer } from '../../harness/redis-cluster.ts';
import {
  describeWithRedis,
  startRedis,
  UNREACHED_TIMEOUT_MS as timeoutMs,
  type RunningRedis,
} from '../../harness/redis.ts';

const log = { warn: () => undefined };
const rule = { free: 3, firstWaitMs: 1_000, maxWaitMs: 1_500, resetAfterMs: 10_000_000 };

describeWithRedis('throttles in Redis', () => {
  let redis: RunningRedis;
  const stores: RedisThrottles[] = [];
  const clock = new FakeClock(Date.now());

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(() => stores.splice(0).forEach((store) => store.close()));
  afterAll(() => redis.stop());

  async function open(): Promise<RedisThrottles> {
    const store = new RedisThrottles({ servers: redis.servers, log, timeoutMs, clock });
    stores.push(store);
    await store.open();
    return store;
  }

  it('count the attempts of all processes, each once, and double the wait up to the longest', async () => {
    const [one, other] = [await open(), await open()];
    const asked = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? one : other).attempt('someone', rule));
    const waits = await Promise.all(asked);
    expect(waits.toSorted((a, b) => a - b)).toEqual([0, 0, 0, ...Array.from({ length: 17 }, () => rule.firstWaitMs)]);
    expect(await other.attempt('someone else', rule)).toBe(0);
    clock.advance(999);
    expect(await one.attempt('someone', rule)).toBe(1);
    clock.advance(1);
    expect(await one.attempt('someone', rule)).toBe(0);
    expect(await other.attempt('someone', rule)).toBe(rule.maxWaitMs);
    const keys = [await askServer(redis.url, ['KEYS', 'sluice:attempts:*'])].flat().map(String);
    expect(keys).toHaveLength(2);
    expect(keys.join(' ')).not.toContain('someone');
  });

  it('forget the attempts of one that succeeded at another process, or one of them', async () => {
    const [one, other] = [await open(), await open()];
    for (let at = 0; at < 3; at++) await one.attempt('cleared', rule);
    expect(await other.attempt('cleared', rule)).toBeGreaterThan(0);
    one.clear('cleared');
    await expect.poll(() => other.attempt('cleared', rule)).toBe(0);
    for (let at = 0; at < 3; at++) await one.attempt('undone', rule);
    expect(await other.attempt('undone', rule)).toBeGreaterThan(0);
    one.undo('undone');
    await expect.poll(() => other.attempt('undone', rule)).toBe(0);
    one.undo('unknown');
    expect(await one.attempt('unknown', rule)).toBe(0);
  });

  it('grant the points of a minute once, to all processes together', async () => {
    const [one, other] = [await open(), await open()];
    const asked = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? one : other).spend('caller', 6, 60));
    expect((await Promise.all(asked)).filter(({ granted }) => granted)).toHaveLength(10);
    expect(await other.spend('another caller', 60, 60)).toEqual({ granted: true, points: 0 });
    clock.advance(5_999);
    expect(await other.spend('caller', 6, 60)).toMatchObject({ granted: false });
    clock.advance(2);
    expect(await other.spend('caller', 6, 60)).toMatchObject({ granted: true });
  });

  it('say so while Redis is unavailable', async () => {
    const one = await open();
    await redis.kill();
    await expect(one.attempt('someone', rule)).rejects.toThrow();
    await expect(one.spend('caller', 1, 10)).rejects.toThrow();
  });
});
