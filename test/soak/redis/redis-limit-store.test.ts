import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '@redis/client';
import { systemClock, type Clock } from '../../../src/calendar/clock.ts';
import { redisSettings } from '../../../src/config/redis/redis-settings.ts';
import type { Budget } from '../../../src/gateway/keys/spend-bound.ts';
import { type Reservation, boundsOf } from '../../../src/gateway/limits/limit-store.ts';
import { LimitRedis } from '../../../src/storage/limits/limit-redis.ts';
import { RedisLimitStore } from '../../../src/storage/limits/redis-limit-store.ts';
import { allowanceContract } from '../../harness/allowance-contract.ts';
import { limitBoundContract } from '../../harness/limit-bound-contract.ts';
import { limitStoreContract } from '../../harness/limit-store-contract.ts';
import { standingHoldContract } from '../../harness/standing-hold-contract.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { key } from '../../harness/gateway.ts';
import { askServer } from '../../harness/redis-cluster.ts';
import {
  describeWithRedis,
  startRedis,
  UNREACHED_TIMEOUT_MS as timeoutMs,
  type RunningRedis,
} from '../../harness/redis.ts';

const log = { warn: () => undefined, info: () => undefined };

describeWithRedis('limits in Redis', () => {
  let redis: RunningRedis;
  let store: RedisLimitStore | null = null;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(() => store?.stop());
  afterAll(() => redis.stop());

  async function empty(): Promise<void> {
    const client = createClient({ url: redis.url });
    await client.connect();
    await client.flushAll();
    client.destroy();
  }

  async function make(clock: Clock): Promise<RedisLimitStore> {
    store?.stop();
    await empty();
    store = new RedisLimitStore({ servers: redis.servers, log, timeoutMs, clock });
    await store.connect();
    return store;
  }

  it('are shared from the first request on where Redis answers', async () => {
    const limits = new LimitRedis({ servers: redis.servers, log, timeoutMs }, () => undefined);
    await limits.open();
    expect(limits.isReady).toBe(true);
    limits.close();
  });

  limitStoreContract('in Redis', make, 15);
  allowanceContract('in Redis', make);
  limitBoundContract('in Redis', make, 15);
  standingHoldContract('in Redis', make);

  describe('several processes', () => {
    const own: Budget = {
      id: `account:${key.accountId}`,
      subject: 'account',
      accountId: key.accountId,
      amountNano: 10n,
      period: 'TOTAL',
      timeZone: 'UTC',
    };
    const spender = { ...key, budgets: [own] };
    const hold = (eventId: string, costNano: bigint): Reservation => ({
      eventId,
      at: Date.now(),
      bounds: boundsOf(key),
      tokens: 1,
      costNano,
    });
    let another: RedisLimitStore;

    afterEach(() => another.stop());

    it('share a budget, which one of them fills in while the others wait', async () => {
      const one = await make(systemClock);
      another = new RedisLimitStore({ servers: redis.servers, log, timeoutMs });
      await another.connect();
      expect(await one.open(own)).toBe(true);
      const waiting = another.open(own);
      await expect(another.reserve(spender, 'openai/x', hold('early', 1n))).rejects.toMatchObject({
        code: 'limits_unavailable',
      });
      await one.add(own, 6n, Date.now());
      // It may know more: of what the process before it did not tell. The budget holds meanwhile.
      expect(await waiting).toBe(true);
      await one.reserve(spender, 'openai/x', hold('a', 3n));
      await expect(another.reserve(spender, 'openai/x', hold('b', 2n))).rejects.toMatchObject({
        code: 'insufficient_quota',
      });
      await another.add(own, 6n, Date.now());
      await another.reserve(spender, 'openai/x', hold('c', 1n));
      expect(await another.open(own)).toBe(false);
    });

    it('looks again after a while whether another filled in a budget, and not before', async () => {
      const one = await make(systemClock);
      const clock = new FakeClock(Date.now());
      another = new RedisLimitStore({ servers: redis.servers, log, timeoutMs, clock });
      await another.connect();
      await one.open(own);
      const { pending } = clock;
      let isOpen = false;
      const opening = another.open(own).then(() => (isOpen = true));
      await clock.whenPending(pending + 1);
      // Each takes a way to Redis and back, in which it could have looked.
      for (const costNano of [6n, 1n, 1n, 1n]) await one.add(own, costNano, Date.now());
      expect(isOpen).toBe(false);
      clock.advance(60_000);
      await opening;
    });

    it('load a budget again whose loading failed, without waiting for themselves', async () => {
      const one = await make(systemClock);
      another = new RedisLimitStore({ servers: redis.servers, log, timeoutMs });
      await another.connect();
      expect(await one.open(own)).toBe(true);
      // It cannot tell Redis that it failed.
      expect(await one.open(own)).toBe(true);
      await one.add(own, 4n, Date.now());
      expect(await one.state(own)).toMatchObject({ spentNano: 4n });
    });

    it('keep what they hold in a lost budget that one of them could not count', async () => {
      const one = await make(systemClock);
      another = new RedisLimitStore({ servers: redis.servers, log, timeoutMs });
      await another.connect();
      await one.open(own);
      await one.add(own, 0n, Date.now());
      await another.reserve(spender, 'openai/x', hold('running', 4n));
      await empty();
      expect(await one.open(own)).toBe(true);
      const waiting = another.open(own);
      const held = ['HLEN', `sluice:limit:{${own.accountId}}:held:${own.id}`];
      await expect.poll(() => askServer(redis.url, held)).toBe(1);
      await one.cancelCount(own);
      expect(await one.state(own)).toBeNull();
      expect(await waiting).toBe(true);
      await another.add(own, 1n, Date.now());
      expect(await one.state(own)).toMatchObject({ spentNano: 1n, reservedNano: 4n });
    });

    it('count what was spent anew when they start, and leave what the others hold', async () => {
      const one = await make(systemClock);
      await one.open(own);
      await one.add(own, 2n, Date.now());
      const [running, settled] = [hold('running', 1n), hold('settled', 3n)];
      await one.reserve(spender, 'openai/x', running);
      await one.reserve(spender, 'openai/x', settled);
      another = new RedisLimitStore({ servers: redis.servers, log, timeoutMs });
      await another.connect();
      expect(await another.open(own)).toBe(true);
      one.settle(spender, settled, { tokens: 1, costNano: 2n });
      expect(await one.state(own)).toMatchObject({ spentNano: 4n, reservedNano: 1n });
      // One that died had spent 5 that it could not tell.
      await another.add(own, 7n, Date.now());
      expect(await one.state(own)).toMatchObject({ spentNano: 9n, reservedNano: 1n });
      await expect(one.reserve(spender, 'openai/x', hold('more', 1n))).rejects.toMatchObject({
        code: 'insufficient_quota',
      });
    });

    it('count again what was added to the log from the journal of an instance that is gone', async () => {
      const one = await make(systemClock);
      another = new RedisLimitStore({ servers: redis.servers, log, timeoutMs });
      await another.connect();
      await one.open(own);
      await one.add(own, 2n, Date.now());
      expect(await one.open(own)).toBe(false);
      one.recount([own]);
      expect(await one.open(own)).toBe(true);
      await one.add(own, 5n, Date.now());
      expect(await another.state(own)).toMatchObject({ spentNano: 5n });
      expect(await one.open(own)).toBe(false);
    });

    it('do not forget a charge whose row is stored after they count', async () => {
      const one = await make(systemClock);
      await one.open(own);
      await one.add(own, 0n, Date.now());
      const settled = hold('settled', 3n);
      await one.reserve(spender, 'openai/x', settled);
      one.settle(spender, settled, { tokens: 1, costNano: 3n });
      await expect.poll(() => one.state(own)).toMatchObject({ spentNano: 3n });
      another = new RedisLimitStore({ servers: redis.servers, log, timeoutMs });
      await another.connect();
      expect(await another.open(own)).toBe(true);
      await another.add(own, 1n, Date.now());
      expect(await one.state(own)).toMatchObject({ spentNano: 3n, reservedNano: 0n });
    });

    it('go on as before where one cannot count anew', async () => {
      const one = await make(systemClock);
      await one.open(own);
      await one.add(own, 2n, Date.now());
      another = new RedisLimitStore({ servers: redis.servers, log, timeoutMs });
      await another.connect();
      expect(await another.open(own)).toBe(true);
      await another.cancelCount(own);
      expect(await one.state(own)).toMatchObject({ spentNano: 2n });
      expect(await another.open(own)).toBe(true);
    });

    it('keep a budget open where the one that counted it did not receive the reply', async () => {
      const one = await make(systemClock);
      await one.open(own);
      await one.add(own, 2n, Date.now());
      await one.reserve(spender, 'openai/x', hold('running', 4n));
      another = new RedisLimitStore({ servers: redis.servers, log, timeoutMs });
      await another.connect();
      expect(await another.open(own)).toBe(true);
      await another.add(own, 2n, Date.now());
      await another.cancelCount(own);
      expect(await one.state(own)).toMatchObject({ spentNano: 2n, reservedNano: 4n });
      await one.close(own);
      expect(await another.state(own)).toBeNull();
    });

    it('that know an account with another time zone spoil nothing of each other', async () => {
      const noon = new FakeClock(Date.parse('2026-11-21T12:00:00Z'));
      const before: Budget = { ...own, period: 'DAY', timeZone: 'Pacific/Kiritimati' };
      const after: Budget = { ...own, period: 'DAY', timeZone: 'UTC' };
      const one = await make(noon);
      await one.open(before);
      await one.add(before, 2n, noon.now());
      another = new RedisLimitStore({ servers: redis.servers, log, timeoutMs, clock: noon });
      await another.connect();
      expect(await another.open(after)).toBe(true);
      await another.add(after, 9n, noon.now());
      const lost: string[] = [];
      one.onLost((accountId) => lost.push(accountId));
      const asked = one.reserve({ ...key, budgets: [before] }, 'openai/x', hold('old', 1n));
      await expect(asked).rejects.toMatchObject({ code: 'limits_unavailable' });
      expect(lost).toEqual([own.accountId]);
      expect(await another.state(after)).toMatchObject({ spentNano: 9n });
      expect(await one.open(after)).toBe(false);
      await one.reserve({ ...key, budgets: [after] }, 'openai/x', hold('new', 1n));
    });

    it('get back what one of them held that died', async () => {
      const clock = new FakeClock(Date.now());
      const dead = await make(clock);
      another = new RedisLimitStore({ servers: redis.servers, log, timeoutMs, clock });
      await another.connect();
      await dead.open(own);
      await dead.add(own, 0n, clock.now());
      const narrow = { ...spender, limits: { ...key.limits, concurrency: 1 } };
      await dead.reserve(narrow, 'openai/x', hold('lost', 10n));
      await expect(another.reserve(narrow, 'openai/x', hold('next', 10n))).rejects.toThrow();
      dead.stop();
      clock.setNow(clock.now() + 61_000);
      await another.reserve(narrow, 'openai/x', hold('next', 10n));
    });
  });

  it('is done without while it is away: a share of the limits for each, nothing for keys with budgets', async () => {
    const lone = await startRedis();
    const one = new RedisLimitStore({ servers: lone.servers, log, timeoutMs });
    await one.connect();
    const own: Budget = {
      id: `key:${key.id}`,
      subject: 'key',
      accountId: key.accountId,
      amountNano: 10n,
      period: 'TOTAL',
      timeZone: 'UTC',
    };
    await one.open(own);
    await one.add(own, 0n, Date.now());
    const held: Reservation = { eventId: 'held', at: Date.now(), bounds: boundsOf(key), tokens: 1, costNano: 4n };
    await one.reserve({ ...key, budgets: [own] }, 'openai/x', held);
    await lone.kill();
    const plain: Reservation = { eventId: 'plain', at: Date.now(), bounds: boundsOf(key), tokens: 1, costNano: 0n };
    await one.reserve(key, 'openai/x', plain);
    one.settle(key, plain, { tokens: 5, costNano: 0n });
    const narrow = { ...key, id: 'narrow', limits: { ...key.limits, requestsPerMinute: 1 } };
    const bounds = boundsOf(narrow);
    await one.reserve(narrow, 'openai/x', { ...plain, bounds, eventId: 'first' });
    await expect(one.reserve(narrow, 'openai/x', { ...plain, bounds, eventId: 'second' })).rejects.toMatchObject({
      code: 'rate_limit_requests',
    });
    await expect(
      one.reserve({ ...key, budgets: [own] }, 'openai/x', { ...held, eventId: 'other' }),
    ).rejects.toMatchObject({ code: 'limits_unavailable', status: 503 });
    await expect(one.extend({ ...key, budgets: [own] }, held, 1n)).rejects.toMatchObject({
      code: 'limits_unavailable',
      status: 503,
    });
    one.stop();
    await lone.stop();
  });

  it('is taken to be away while it says nothing, and used again when it does', async () => {
    const lone = await startRedis();
    const clock = new FakeClock(Date.now());
    const warnings: unknown[] = [];
    const watched = { ...log, warn: ({ err }: { err?: unknown }) => void warnings.push(err) };
    const one = new RedisLimitStore({ servers: lone.servers, log: watched, timeoutMs, clock });
    await one.connect();
    const own: Budget = {
      id: `key:${key.id}`,
      subject: 'key',
      accountId: key.accountId,
      amountNano: 10n,
      period: 'TOTAL',
      timeZone: 'UTC',
    };
    await one.open(own);
    await one.add(own, 0n, Date.now());
    const bounded = { ...key, budgets: [own] };
    const hold = (eventId: string, costNano: bigint): Reservation => ({
      eventId,
      at: Date.now(),
      bounds: boundsOf(key),
      tokens: 1,
      costNano,
    });
    const running = hold('running', 4n);
    await one.reserve(bounded, 'openai/x', running);
    lone.pause();
    const asked = Array.from({ length: 20 }, (_, each) => one.reserve(key, 'openai/x', hold(`plain ${each}`, 0n)));
    one.settle(bounded, running, { tokens: 5, costNano: 3n });
    await clock.advanceAsync(timeoutMs - 1);
    expect(warnings).toEqual([]);
    await clock.advanceAsync(1);
    await Promise.all(asked);
    expect(String(warnings[0])).toBe(`Error: Redis did not respond within ${timeoutMs} ms`);
    await expect(one.reserve(bounded, 'openai/x', hold('refused', 1n))).rejects.toMatchObject({
      code: 'limits_unavailable',
      status: 503,
    });
    lone.resume();
    await expect.poll(() => one.state(own).catch(() => null)).toMatchObject({ spentNano: 3n, reservedNano: 0n });
    one.stop();
    await lone.stop();
  });

  it('tells of a budget that it lost, which holds again once it is opened again', async () => {
    const one = await make(systemClock);
    const own: Budget = {
      id: `key:${key.id}`,
      subject: 'key',
      accountId: key.accountId,
      amountNano: 10n,
      period: 'TOTAL',
      timeZone: 'UTC',
    };
    const lost: string[] = [];
    one.onLost((accountId) => lost.push(accountId));
    await one.open(own);
    await one.add(own, 4n, Date.now());
    const hold = (eventId: string, costNano: bigint): Reservation => ({
      eventId,
      at: Date.now(),
      bounds: boundsOf(key),
      tokens: 1,
      costNano,
    });
    await one.reserve({ ...key, budgets: [own] }, 'openai/x', hold('first', 1n));
    expect(lost).toEqual([]);
    await empty();
    await expect(one.reserve({ ...key, budgets: [own] }, 'openai/x', hold('second', 1n))).rejects.toMatchObject({
      code: 'limits_unavailable',
    });
    // A heartbeat may have found it, too.
    expect(new Set(lost)).toEqual(new Set([own.accountId]));
    expect(await one.open(own)).toBe(true);
    await one.add(own, 8n, Date.now());
    // The first one runs still.
    expect(await one.state(own)).toMatchObject({ spentNano: 8n, reservedNano: 1n });
    await expect(one.reserve({ ...key, budgets: [own] }, 'openai/x', hold('third', 2n))).rejects.toMatchObject({
      code: 'insufficient_quota',
    });
    await one.reserve({ ...key, budgets: [own] }, 'openai/x', hold('fourth', 1n));
  });

  it('holds again what each process held of a budget that it lost, and not what was settled', async () => {
    const lone = await startRedis();
    const own: Budget = {
      id: `key:${key.id}`,
      subject: 'key',
      accountId: key.accountId,
      amountNano: 10n,
      period: 'TOTAL',
      timeZone: 'UTC',
    };
    const bounded = { ...key, budgets: [own] };
    const hold = (eventId: string, costNano: bigint): Reservation => ({
      eventId,
      at: Date.now(),
      bounds: boundsOf(key),
      tokens: 1,
      costNano,
    });
    const one = new RedisLimitStore({ servers: lone.servers, log, timeoutMs });
    const another = new RedisLimitStore({ servers: lone.servers, log, timeoutMs });
    await one.connect();
    await another.connect();
    await one.open(own);
    await one.add(own, 0n, Date.now());
    await one.reserve(bounded, 'openai/x', hold('running', 2n));
    const settled = hold('settled', 1n);
    await one.reserve(bounded, 'openai/x', settled);
    await another.reserve(bounded, 'openai/x', hold('of another', 4n));
    const told = [one, another].map((each) => new Promise((resolve) => each.onLost(resolve)));
    one.settle(bounded, settled, { tokens: 1, costNano: 1n });
    await expect.poll(() => one.state(own)).toMatchObject({ spentNano: 1n });
    await lone.kill();
    await lone.start();
    // Without a request that would find the loss.
    await Promise.all(told);
    expect(await one.open(own)).toBe(true);
    await one.whenOthersReady(own.accountId);
    expect(await askServer(lone.url, ['ZCARD', 'sluice:limit:processes'])).toBe(2);
    const waiting = another.open(own);
    await one.add(own, 1n, Date.now());
    await waiting;
    await expect.poll(() => one.state(own)).toMatchObject({ spentNano: 1n, reservedNano: 6n });
    await expect(one.reserve(bounded, 'openai/x', hold('more', 4n))).rejects.toMatchObject({
      code: 'insufficient_quota',
    });
    one.stop();
    another.stop();
    await lone.stop();
  });

  it('counts no budget that it lost without what another process holds, however late that opens it', async () => {
    const lone = await startRedis();
    const own: Budget = {
      id: `key:${key.id}`,
      subject: 'key',
      accountId: key.accountId,
      amountNano: 10n,
      period: 'TOTAL',
      timeZone: 'UTC',
    };
    const bounded = { ...key, budgets: [own] };
    const hold = (eventId: string, costNano: bigint): Reservation => ({
      eventId,
      at: Date.now(),
      bounds: boundsOf(key),
      tokens: 1,
      costNano,
    });
    const one = new RedisLimitStore({ servers: lone.servers, log, timeoutMs });
    const another = new RedisLimitStore({ servers: lone.servers, log, timeoutMs });
    await one.connect();
    await another.connect();
    await one.open(own);
    await one.add(own, 0n, Date.now());
    await another.reserve(bounded, 'openai/x', hold('of another', 7n));
    // It reads the processes that it waits for.
    await one.whenOthersReady(own.accountId);
    const told = new Promise((resolve) => another.onLost(resolve));
    await lone.kill();
    await lone.start();
    // It is connected again, before the budget is opened.
    await told;
    await expect.poll(() => one.open(own).catch(() => null)).toBe(true);
    await one.whenOthersReady(own.accountId);
    await one.add(own, 0n, Date.now());
    await expect(one.reserve(bounded, 'openai/x', hold('more', 4n))).rejects.toMatchObject({
      code: 'insufficient_quota',
    });
    await one.reserve(bounded, 'openai/x', hold('rest', 3n));
    one.stop();
    another.stop();
    await lone.stop();
  });

  it('releases a reservation whose reply did not arrive', async () => {
    const lone = await startRedis();
    const clock = new FakeClock(Date.now());
    const one = new RedisLimitStore({ servers: lone.servers, log, timeoutMs, clock });
    await one.connect();
    const own: Budget = {
      id: `key:${key.id}`,
      subject: 'key',
      accountId: key.accountId,
      amountNano: 10n,
      period: 'TOTAL',
      timeZone: 'UTC',
    };
    const narrow = { ...key, budgets: [own], limits: { ...key.limits, concurrency: 1 } };
    const hold = (eventId: string): Reservation => ({
      eventId,
      at: Date.now(),
      bounds: boundsOf(narrow),
      tokens: 1,
      costNano: 10n,
    });
    await one.open(own);
    await one.add(own, 0n, Date.now());
    lone.pause();
    const refused = one.reserve(narrow, 'openai/x', hold('refused'));
    await Promise.all([
      expect(refused).rejects.toMatchObject({ code: 'limits_unavailable' }),
      clock.advanceAsync(timeoutMs),
    ]);
    // It executes what it has received.
    lone.resume();
    await expect.poll(() => one.state(own).catch(() => null)).toMatchObject({ spentNano: 0n, reservedNano: 0n });
    await one.reserve(narrow, 'openai/x', hold('next'));
    one.stop();
    await lone.stop();
  });

  it('hears of what was settled while it could not be reached', async () => {
    const one = await make(systemClock);
    const own: Budget = {
      id: `key:${key.id}`,
      subject: 'key',
      accountId: key.accountId,
      amountNano: 10n,
      period: 'TOTAL',
      timeZone: 'UTC',
    };
    await one.open(own);
    await one.add(own, 0n, Date.now());
    const held: Reservation = { eventId: 'held', at: Date.now(), bounds: boundsOf(key), tokens: 1, costNano: 4n };
    await one.reserve({ ...key, budgets: [own] }, 'openai/x', held);
    await dropConnections();
    one.settle({ ...key, budgets: [own] }, held, { tokens: 5, costNano: 3n });
    await expect.poll(() => one.state(own).catch(() => null)).toMatchObject({ spentNano: 3n, reservedNano: 0n });
  });

  it('hears of what was settled while it took nothing', async () => {
    const one = await make(systemClock);
    const own: Budget = {
      id: `key:${key.id}`,
      subject: 'key',
      accountId: key.accountId,
      amountNano: 10n,
      period: 'TOTAL',
      timeZone: 'UTC',
    };
    const bounded = { ...key, budgets: [own] };
    await one.open(own);
    await one.add(own, 0n, Date.now());
    const held: Reservation = { eventId: 'refused', at: Date.now(), bounds: boundsOf(key), tokens: 1, costNano: 4n };
    await one.reserve(bounded, 'openai/x', held);
    await command('REPLICAOF', '127.0.0.1', '1');
    one.settle(bounded, held, { tokens: 5, costNano: 3n });
    await expect(one.reserve(bounded, 'openai/x', { ...held, eventId: 'other' })).rejects.toMatchObject({
      code: 'limits_unavailable',
    });
    await command('REPLICAOF', 'NO', 'ONE');
    await expect.poll(() => one.state(own)).toMatchObject({ spentNano: 3n, reservedNano: 0n });
  });

  it('has what it was not told counted from the log, and says so', async () => {
    const clock = new FakeClock();
    const warnings: [object, string][] = [];
    const one = new RedisLimitStore({
      servers: redisSettings({}, 'redis://127.0.0.1:1'),
      log: { ...log, warn: (...told) => void warnings.push(told) },
      clock,
    });
    const lost: string[] = [];
    one.onLost((accountId) => lost.push(accountId));
    const { id: keyId, accountId } = key;
    one.charge({ keyId, accountId, memberId: null, hasAllowance: false }, 1n, clock.now());
    one.charge({ keyId, accountId, memberId: null, hasAllowance: false }, 2n, clock.now());
    await clock.advanceAsync(70_000);
    one.stop();
    expect(lost).toEqual([accountId]);
    expect(warnings).toContainEqual([{ steps: 2 }, expect.stringContaining('recounted from the usage log')]);
  });

  async function command(...words: string[]): Promise<void> {
    const client = createClient({ url: redis.url });
    await client.connect();
    await client.sendCommand(words);
    client.destroy();
  }

  /** Those of all clients but the one that asks for it. */
  async function dropConnections(): Promise<void> {
    await command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  }
});
