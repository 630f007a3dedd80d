import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../../src/calendar/clock.ts';
import { redisSettings } from '../../../src/config/redis/redis-settings.ts';
import { RedisReasoningStore } from '../../../src/storage/redis-reasoning-store.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import {
  describeWithRedis,
  startRedis,
  UNREACHED_TIMEOUT_MS as timeoutMs,
  type RunningRedis,
} from '../../harness/redis.ts';

const log = { warn: () => undefined };
const masterKey = 'a master key for tests, long enough';
const kept = { name: 'weather', details: '[{"data":"a-canary-signature"}]' };

describeWithRedis('signed reasoning in Redis', () => {
  let redis: RunningRedis;
  const stores: RedisReasoningStore[] = [];

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(() => {
    for (const store of stores.splice(0)) store.close();
  });
  afterAll(() => redis.stop());

  async function open(key = masterKey, clock: Clock = systemClock): Promise<RedisReasoningStore> {
    const store = new RedisReasoningStore({ servers: redis.servers, masterKeys: key, log, timeoutMs, clock });
    stores.push(store);
    await store.open();
    return store;
  }

  /** What was kept is on its way in the order of commands: what is asked next is answered after it. */
  async function found(store: RedisReasoningStore, accountId: string, callId: string) {
    await store.load(accountId, [callId]);
    return store.find(accountId, callId);
  }

  it('is found by other processes, for its account alone, sealed', async () => {
    const [one, another, stranger] = [await open(), await open(), await open('another master key, long enough')];
    one.store('account', 'call', kept);
    expect(one.find('account', 'call')).toEqual(kept);
    expect(one.load('account', ['call'])).toBeUndefined();
    // Its own connection answers after it has kept.
    await one.load('account', ['missing']);
    expect(await found(another, 'account', 'call')).toEqual(kept);
    expect(await found(another, 'other', 'call')).toBeUndefined();
    expect(await found(stranger, 'account', 'call')).toBeUndefined();
    const client = createClient({ url: redis.url });
    await client.connect();
    const names = await client.keys('sluice:reasoning:*');
    expect(names).toHaveLength(1);
    expect(await client.get(names[0] ?? '')).not.toContain('canary');
    expect(await client.pTTL(names[0] ?? '')).toBeGreaterThan(23 * 3_600_000);
    client.destroy();
  });

  it('is not waited for any longer than that while Redis says nothing', async () => {
    const clock = new FakeClock();
    const one = await open(masterKey, clock);
    redis.pause();
    const loading = one.load('account', ['missing']);
    await clock.advanceAsync(timeoutMs);
    await loading;
    redis.resume();
    expect(one.find('account', 'missing')).toBeUndefined();
  });

  it('is what the process kept itself while Redis cannot be reached', async () => {
    const away = new RedisReasoningStore({
      servers: redisSettings({}, 'redis://127.0.0.1:1'),
      masterKeys: masterKey,
      log,
    });
    stores.push(away);
    away.store('account', 'call', kept);
    expect(away.load('account', ['call', 'missing'])).toBeUndefined();
    expect(away.find('account', 'call')).toEqual(kept);
  });
});
