import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { RedisResponseCache } from '../../../src/storage/redis-response-cache.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import {
  describeWithRedis,
  startRedis,
  UNREACHED_TIMEOUT_MS as timeoutMs,
  type RunningRedis,
} from '../../harness/redis.ts';

const answer = {
  model: 'openai/gpt-4.1',
  provider: 'openai',
  dropped: ['seed'],
  keptAt: 1_795_000_000_000,
  costNano: 9_007_199_254_740_993n,
  body: Buffer.from('{"text":"ä\n\u0000"}'),
};

describeWithRedis('answers in Redis', () => {
  let redis: RunningRedis;
  let one: RedisResponseCache;
  let another: RedisResponseCache;
  /** Of `one`. */
  let clock: FakeClock;
  const warnings: unknown[] = [];
  let onWarning = (): void => undefined;
  const log = {
    warn: ({ err }: { err?: unknown }): void => {
      warnings.push(err);
      onWarning();
    },
  };

  beforeAll(async () => {
    redis = await startRedis();
  });

  afterAll(() => redis.stop());

  beforeEach(async () => {
    warnings.length = 0;
    clock = new FakeClock();
    one = new RedisResponseCache({ servers: redis.servers, log, timeoutMs, clock });
    another = new RedisResponseCache({ servers: redis.servers, log: { warn: () => undefined }, timeoutMs });
    await Promise.all([one.open(), another.open()]);
    expect(await kept(one, 'ready')).toBe(true);
  });

  afterEach(() => {
    one.close();
    another.close();
  });

  /** What is kept is on its way before what is asked then: a connection answers in the order of commands. */
  async function kept(cache: RedisResponseCache, key: string): Promise<boolean> {
    cache.set(key, answer, 60_000);
    return (await cache.get(key)) !== undefined;
  }

  it('are found by every process, to the byte', async () => {
    expect(await kept(one, 'shared')).toBe(true);
    expect(await another.get('shared')).toEqual(answer);
    expect(await another.get('other')).toBeUndefined();
  });

  it('are gone after their time', async () => {
    expect(await kept(one, 'short')).toBe(true);
    const client = await createClient({ url: redis.url }).connect();
    const leftMs = await client.pTTL('sluice:answer:short');
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(60_000);
    await client.pExpire('sluice:answer:short', 0);
    client.destroy();
    expect(await one.get('short')).toBeUndefined();
  });

  it('are not found where another program left something else', async () => {
    const client = await createClient({ url: redis.url }).connect();
    await client.set('sluice:answer:odd', 'no line of JSON');
    await client.set('sluice:answer:odder', '{"model":1}\nx');
    await client.hSet('sluice:answer:oddest', 'a', 'b');
    client.destroy();
    for (const key of ['odd', 'odder', 'oddest']) expect(await one.get(key)).toBeUndefined();
  });

  it('are missed while Redis says nothing, and found again when it does', async () => {
    redis.pause();
    one.set('paused', answer, 60_000);
    const asked = one.get('ready');
    await clock.advanceAsync(timeoutMs - 1);
    expect(warnings).toEqual([]);
    await clock.advanceAsync(1);
    expect(await asked).toBeUndefined();
    expect(warnings.map(String)).toEqual([`Error: Redis did not respond within ${timeoutMs} ms`]);
    redis.resume();
    await expect.poll(() => kept(one, 'resumed')).toBe(true);
  });

  it('are missed while Redis is away, told once, and found again when it is back', async () => {
    const warned = new Promise<void>((resolve) => (onWarning = resolve));
    await redis.kill();
    await warned;
    expect(await one.get('ready')).toBeUndefined();
    one.set('ready', answer, 60_000);
    await redis.start();
    await expect.poll(() => kept(one, 'back')).toBe(true);
    expect(warnings).toHaveLength(1);
  });
});
