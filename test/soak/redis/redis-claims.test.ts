import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { RedisClaims } from '../../../src/storage/redis-claims.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import {
  describeWithRedis,
  startRedis,
  UNREACHED_TIMEOUT_MS as timeoutMs,
  type RunningRedis,
} from '../../harness/redis.ts';

const log = { warn: () => undefined };

describeWithRedis('idempotency keys in Redis', () => {
  let redis: RunningRedis;
  let one: RedisClaims;
  let other: RedisClaims;
  /** Of `one`. */
  let clock: FakeClock;

  beforeAll(async () => {
    redis = await startRedis();
  });

  afterAll(() => redis.stop());

  beforeEach(async () => {
    clock = new FakeClock();
    one = new RedisClaims({ servers: redis.servers, log, timeoutMs, clock });
    other = new RedisClaims({ servers: redis.servers, log, timeoutMs });
    await Promise.all([one.open(), other.open()]);
  });

  afterEach(() => {
    one.close();
    other.close();
  });

  it('are of one process, of many that ask at once', async () => {
    const scopes = Array.from({ length: 200 }, (_, at) => `at-once-${at}`);
    for (const scope of scopes) {
      const found = await Promise.all([one, other].map((each) => each.claim(scope, 'print')));
      expect(found.filter((claim) => claim === null)).toHaveLength(1);
      expect(found).toContainEqual({ state: 'running', fingerprint: 'print' });
    }
  });

  it('tell the other how they ended, with the answer to the byte', async () => {
    const sealed = Buffer.from([0, 255, 10, 13, 128]);
    for (const scope of ['kept', 'unkept', 'cut']) expect(await one.claim(scope, scope)).toBeNull();
    one.ended('kept', 'kept', { bytes: sealed.length, seal: () => sealed });
    one.ended('unkept', 'not kept', null);
    one.ended('cut', 'interrupted', null);
    await expect.poll(() => other.claim('cut', 'cut')).toEqual({ state: 'interrupted', fingerprint: 'cut' });
    expect(await other.claim('unkept', 'x')).toEqual({ state: 'not kept', fingerprint: 'unkept' });
    expect(await other.claim('kept', 'x')).toEqual({ state: 'kept', fingerprint: 'kept' });
    expect(await other.answer('kept')).toEqual(sealed);
    expect(await one.claim('kept', 'x')).toEqual({ state: 'kept', fingerprint: 'kept' });
    const client = await createClient({ url: redis.url }).connect();
    const left = await client.pTTL('sluice:idempotency:claim:kept');
    client.destroy();
    expect(left).toBeGreaterThan(23 * 3_600_000);
  });

  it('are free for the other after a refusal, and their first process cannot end them then', async () => {
    await one.claim('freed', 'print');
    one.free('freed');
    await expect.poll(() => other.claim('freed', 'print')).toBeNull();
    one.ended('freed', 'kept', null);
    one.free('freed');
    expect(await one.claim('freed', 'print')).toEqual({ state: 'running', fingerprint: 'print' });
  });

  it('were interrupted where their process is gone', async () => {
    await one.claim('lost', 'print');
    const client = await createClient({ url: redis.url }).connect();
    // As when it was not renewed in time.
    for (const name of await client.keys('sluice:idempotency:process:*')) await client.del(name);
    client.destroy();
    expect(await other.claim('lost', 'print')).toEqual({ state: 'interrupted', fingerprint: 'print' });
  });

  it('are ended for a process that is gone, with the answer that it did not publish', async () => {
    const sealed = Buffer.from([0, 255, 10]);
    for (const scope of ['left-answered', 'left-open', 'left-ended']) await one.claim(scope, 'print');
    one.ended('left-ended', 'not kept', null);
    await expect.poll(() => other.claim('left-ended', 'print')).toMatchObject({ state: 'not kept' });
    const owners = new Set([one.owner]);
    // It may still run, as long as its folder does not name it.
    expect(await other.settle(new Set(), 'left-open', 'interrupted', null)).toBe(false);
    expect(await other.claim('left-open', 'print')).toEqual({ state: 'running', fingerprint: 'print' });
    expect(await other.settle(owners, 'left-open', 'interrupted', null)).toBe(true);
    expect(await other.settle(owners, 'left-answered', 'kept', sealed)).toBe(true);
    expect(await other.settle(owners, 'left-ended', 'interrupted', null)).toBe(false);
    expect(await other.settle(owners, 'never-claimed', 'interrupted', null)).toBe(false);
    expect(await other.claim('left-open', 'print')).toEqual({ state: 'interrupted', fingerprint: 'print' });
    expect(await other.claim('left-answered', 'print')).toEqual({ state: 'kept', fingerprint: 'print' });
    expect(await other.answer('left-answered')).toEqual(sealed);
    // Where it was only paused, it ends nothing any more.
    one.ended('left-open', 'kept', { bytes: 1, seal: () => Buffer.from('x') });
    one.free('left-answered');
    expect(await one.claim('left-answered', 'print')).toEqual({ state: 'kept', fingerprint: 'print' });
  });

  it('are never ended for the process of another claim of the same key', async () => {
    await one.claim('again', 'print');
    one.free('again');
    await expect.poll(() => other.claim('again', 'print')).toBeNull();
    const third = new RedisClaims({ servers: redis.servers, log, timeoutMs });
    await third.open();
    expect(await third.settle(new Set([one.owner]), 'again', 'interrupted', null)).toBe(false);
    third.close();
  });

  it('are refused while Redis is away, and what ended meanwhile is told when it is back', async () => {
    await one.claim('before', 'print');
    redis.pause();
    const during = one.claim('during', 'print');
    const refused = expect(during).rejects.toThrow(`Redis did not respond within ${timeoutMs} ms`);
    await clock.advanceAsync(timeoutMs);
    await refused;
    one.ended('before', 'not kept', null);
    redis.resume();
    await expect.poll(() => other.claim('before', 'print')).toEqual({ state: 'not kept', fingerprint: 'print' });
    await expect.poll(() => other.claim('during', 'print')).toBeNull();
  });
});
