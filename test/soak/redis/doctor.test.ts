import { createClient } from '@redis/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkRedis } from '../../../src/cli/doctor/check-redis.ts';
import { parseEnvironment } from '../../../src/config/environment.ts';
import { describeWithRedis, startRedis, type RunningRedis } from '../../harness/redis.ts';

describeWithRedis('what sluice doctor finds of Redis', () => {
  let redis: RunningRedis;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  const examine = () => checkRedis(parseEnvironment({ REDIS_URL: redis.url }, []));

  async function configure(name: string, value: string): Promise<void> {
    const client = await createClient({ url: redis.url }).connect();
    await client.configSet(name, value);
    await client.close();
  }

  it('is its version and its clock', async () => {
    expect(await examine()).toMatchObject([
      { subject: 'Redis', state: 'ok', text: expect.stringMatching(/^(?:Redis|Valkey) \d+\.\d+.*answers in/) },
      { subject: 'Clock', state: 'ok' },
    ]);
  });

  it('is a policy by which it forgets limits', async () => {
    await configure('maxmemory', '100mb');
    await configure('maxmemory-policy', 'allkeys-lru');
    expect(await examine()).toContainEqual(
      expect.objectContaining({ state: 'warning', text: expect.stringContaining('allkeys-lru') }),
    );
    await configure('maxmemory-policy', 'noeviction');
    expect(await examine()).not.toContainEqual(expect.objectContaining({ state: 'warning' }));
  });

  it('is that it does not run', async () => {
    await redis.kill();
    expect(await examine()).toMatchObject([{ state: 'failed', text: expect.stringContaining('REDIS_URL') }]);
  });
});
