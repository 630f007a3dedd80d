import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { redisOptions } from '../../../src/storage/redis-options.ts';
import { RedisResponseCache } from '../../../src/storage/redis-response-cache.ts';
import { describeWithRedis, startRedis, type RunningRedis } from '../../harness/redis.ts';

const answer = {
  model: 'openai/gpt-4.1',
  provider: 'openai',
  dropped: ['seed'],
  keptAt: 1_795_000_000_000,
  body: Buffer.from('{"text":"ä\n\u0000"}'),
};

describeWithRedis('answers in Redis', () => {
  let redis: RunningRedis;
  let one: RedisResponseCache;
  let another: RedisResponseCache;
  const warnings: string[] = [];
  const log = { warn: (_fields: object, message: string) => void warnings.push(message) };

  beforeAll(async () => {
    redis = await startRedis();
  });

  afterAll(() => redis.stop());

  beforeEach(async () => {
    warnings.length = 0;
    one = new RedisResponseCache(redis.url, log);
    another = new RedisResponseCache(redis.url, log);
    one.open();
    another.open();
    await until(async () => (await kept(one, 'ready')) && kept(another, 'ready'));
  });

  afterEach(() => {
    one.close();
    another.close();
  });

  async function kept(cache: RedisResponseCache, key: string): Promise<boolean> {
    cache.set(key, answer, 60_000);
    return (await cache.get(key)) !== undefined;
  }

  it('are found by every process, to the byte', async () => {
    one.set('shared', answer, 60_000);
    await until(async () => (await another.get('shared')) !== undefined);
    expect(await another.get('shared')).toEqual(answer);
    expect(await another.get('other')).toBeUndefined();
  });

  it('are gone after their time', async () => {
    one.set('short', answer, 60_000);
    await until(async () => (await one.get('short')) !== undefined);
    const client = await createClient({ url: redis.url }).connect();
    const leftMs = await client.pTTL('sluice:answer:short');
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(60_000);
    await client.pExpire('sluice:answer:short', 1);
    client.destroy();
    await until(async () => (await one.get('short')) === undefined);
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
    // The socket's own limit begins anew with each request: it is not what ends the waiting.
    const isFirst = await Promise.race([
      one.get('ready').then((found) => found === undefined),
      socketLimit().then(() => false),
    ]);
    expect(isFirst).toBe(true);
    expect(warnings).toHaveLength(1);
    redis.resume();
    await until(() => kept(one, 'resumed'));
  });

  it('are missed while Redis is away, told once, and found again when it is back', async () => {
    await redis.kill();
    await until(() => Promise.resolve(warnings.length > 0));
    expect(await one.get('ready')).toBeUndefined();
    one.set('ready', answer, 60_000);
    await redis.start();
    await until(() => kept(one, 'back'));
    expect(warnings.length).toBeLessThanOrEqual(2);
  });
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Set before it is waited for, so that it comes after every shorter limit, however busy the machine is. */
function socketLimit(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, redisOptions.socket.socketTimeout).unref());
}
