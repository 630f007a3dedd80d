import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Clock } from '../../../src/calendar/clock.ts';
import type { KeyRecord } from '../../../src/gateway/keys/key-directory.ts';
import type { Budget } from '../../../src/gateway/keys/spend-bound.ts';
import { boundsOf, type Reservation } from '../../../src/gateway/limits/limit-store.ts';
import { RedisLimitStore } from '../../../src/storage/limits/redis-limit-store.ts';
import { RedisLiveBus } from '../../../src/storage/live/redis-live-bus.ts';
import { RedisClaims } from '../../../src/storage/redis-claims.ts';
import { RedisKeyChanges } from '../../../src/storage/redis-key-changes.ts';
import { RedisReasoningStore } from '../../../src/storage/redis-reasoning-store.ts';
import { RedisResponseCache } from '../../../src/storage/redis-response-cache.ts';
import { RedisConnection } from '../../../src/storage/redis/redis-connection.ts';
import { slotOf } from '../../../src/storage/redis/cluster-slots.ts';
import { allowanceContract } from '../../harness/allowance-contract.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { key as anyKey } from '../../harness/gateway.ts';
import { limitBoundContract } from '../../harness/limit-bound-contract.ts';
import { limitStoreContract } from '../../harness/limit-store-contract.ts';
import { startCluster, whenReplicated, type ClusterNode, type RunningCluster } from '../../harness/redis-cluster.ts';
import { describeWithRedis, UNREACHED_TIMEOUT_MS as timeoutMs } from '../../harness/redis.ts';
import { standingHoldContract } from '../../harness/standing-hold-contract.ts';

const log = { warn: () => undefined, info: () => undefined };
const quiet = { warn: () => undefined };
const masterKey = 'a master key for tests, long enough';

/** In this order: the last tests move slots and replace a primary. */
describeWithRedis('a cluster of three primaries', () => {
  let cluster: RunningCluster;
  const closing: (() => void)[] = [];

  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });
  afterAll(() => cluster.stop());

  function kept<T extends { close(): void }>(store: T): T {
    closing.push(() => store.close());
    return store;
  }

  async function open(clock?: Clock): Promise<RedisLimitStore> {
    const { servers } = cluster;
    const store = new RedisLimitStore({ servers, log, timeoutMs, ...(clock && { clock }) });
    closing.push(() => store.stop());
    await store.connect();
    return store;
  }

  async function make(clock: Clock): Promise<RedisLimitStore> {
    await cluster.empty();
    return open(clock);
  }

  limitStoreContract('in a cluster', make, 5);
  allowanceContract('in a cluster', make);
  limitBoundContract('in a cluster', make, 5);
  standingHoldContract('in a cluster', make);

  /** Of an account whose keys that node has. @param first number of the account */
  function keyOn(node: ClusterNode, limits: Partial<KeyRecord['limits']> = {}, first = 0): KeyRecord {
    for (let number = first; ; number++) {
      const accountId = `account ${number}`;
      if (cluster.ownerOf(accountId) === node) return { ...anyKey, accountId, limits: { ...anyKey.limits, ...limits } };
    }
  }

  function hold(key: KeyRecord, eventId: string, costNano = 0n): Reservation {
    return { eventId, at: Date.now(), bounds: boundsOf(key), tokens: 1, costNano };
  }

  function totalBudget({ accountId }: KeyRecord): Budget {
    const id = `account:${accountId}`;
    return { id, subject: 'account', accountId, amountNano: 10n, period: 'TOTAL', timeZone: 'UTC' };
  }

  it('admits exactly the limit of 200 concurrent requests to two processes, on each primary', async () => {
    const clock = new FakeClock(Date.now());
    const stores = [await make(clock), await open(clock)];
    for (const node of cluster.nodes) {
      const key = keyOn(node, { requestsPerMinute: 10, tokensPerMinute: 1_000_000, concurrency: 1_000 });
      const asked = Array.from({ length: 200 }, (_, at) =>
        Promise.resolve(stores[at % 2]?.reserve(key, 'openai/x', hold(key, `${node.port} ${at}`))).then(
          () => 'admitted',
          (error: unknown) => Object(error).code,
        ),
      );
      const answers = await Promise.all(asked);
      expect(answers.filter((answer) => answer === 'admitted')).toHaveLength(10);
      expect(answers.filter((answer) => answer === 'rate_limit_requests')).toHaveLength(190);
    }
  });

  it('counts no budget that a primary lost, whichever it is, without what another process holds', async () => {
    await cluster.empty();
    const [one, another] = [await open(), await open()];
    for (const node of cluster.nodes) {
      const key = keyOn(node);
      const budget = { ...totalBudget(key), amountNano: 30n };
      const spending = { ...key, budgets: [budget] };
      await one.open(budget);
      await one.add(budget, 0n, Date.now());
      await another.reserve(spending, 'openai/x', hold(spending, `${node.port} of another`, 7n));
      // It reads the processes that it waits for.
      await one.whenOthersReady(key.accountId);
      await node.kill();
      await node.start();
      await expect.poll(() => one.open(budget).catch(() => null)).toBe(true);
      await one.whenOthersReady(key.accountId);
      await one.add(budget, 0n, Date.now());
      const asked = Array.from({ length: 50 }, (_, at) =>
        (at % 2 === 0 ? one : another).reserve(spending, 'openai/x', hold(spending, `${node.port} ${at}`, 1n)).then(
          () => 'admitted',
          (error: unknown) => Object(error).code,
        ),
      );
      const answers = await Promise.all(asked);
      expect(answers.filter((answer) => answer === 'admitted')).toHaveLength(23);
      expect(answers.filter((answer) => answer === 'insufficient_quota')).toHaveLength(27);
    }
  });

  it('serves the accounts of a primary while another one does not run', async () => {
    const store = await make(new FakeClock(Date.now()));
    for (const node of cluster.nodes) {
      const other = cluster.nodes.find((each) => each !== node) ?? node;
      const budget = totalBudget(keyOn(other));
      await node.kill();
      expect(await store.open(budget)).toBe(true);
      await store.whenOthersReady(budget.accountId);
      await store.add(budget, 4n, Date.now());
      await expect(store.whenOthersReady(keyOn(node).accountId)).rejects.toMatchObject({ code: 'limits_unavailable' });
      await store.close(budget);
      await node.start();
      await expect.poll(() => node.ask('CLUSTER', 'INFO').then(String)).toContain('cluster_state:ok');
      await expect.poll(() => store.whenOthersReady(keyOn(node).accountId).catch(() => 'away')).toBeUndefined();
    }
  });

  it('has the idempotency keys, cached responses and reasoning of every process', async () => {
    const { servers } = cluster;
    const [one, other] = [0, 1].map(() => kept(new RedisClaims({ servers, log, timeoutMs })));
    const [cache, caches] = [0, 1].map(() => kept(new RedisResponseCache({ servers, log, timeoutMs })));
    const [here, there] = [0, 1].map(() =>
      kept(new RedisReasoningStore({ servers, masterKeys: masterKey, log, timeoutMs })),
    );
    await Promise.all([one, other, cache, caches, here, there].map((store) => store?.open()));
    const answer = { model: 'a/b', provider: 'a', dropped: [], keptAt: 1, costNano: 1n, body: Buffer.from([0, 255]) };
    for (let number = 0; number < 30; number++) {
      const name = `name ${number}`;
      expect(await one?.claim(name, 'print')).toBeNull();
      expect(await other?.claim(name, 'print')).toEqual({ state: 'running', fingerprint: 'print' });
      one?.ended(name, 'kept', { bytes: answer.body.length, seal: () => answer.body });
      await expect.poll(() => other?.claim(name, 'print')).toMatchObject({ state: 'kept' });
      expect(await other?.answer(name)).toEqual(answer.body);
      cache?.set(name, answer, 60_000);
      await expect.poll(() => caches?.get(name)).toEqual(answer);
      const reasoning = { name, details: '[]' };
      here?.store(name, 'call', reasoning);
      const found = async (): Promise<unknown> => {
        await there?.load(name, ['call']);
        return there?.find(name, 'call');
      };
      await expect.poll(found).toEqual(reasoning);
    }
  });

  it('has a key of a running request again after any primary lost it', async () => {
    const { servers } = cluster;
    const [one, other] = [0, 1].map(() => kept(new RedisClaims({ servers, log, timeoutMs })));
    if (one === undefined || other === undefined) throw new Error('There are no claims.');
    await Promise.all([one.open(), other.open()]);
    for (const node of cluster.nodes) {
      const keyOf = (scope: string): string => `sluice:idempotency:claim:${scope}`;
      const scopes = Array.from({ length: 100 }, (_, at) => `running ${node.port} ${at}`);
      const scope = scopes.find((each) => cluster.ownerOf(keyOf(each)) === node) ?? '';
      expect(await one.claim(scope, 'print')).toBeNull();
      await node.kill();
      await node.start();
      // Before the other process asks: it could claim it.
      await expect.poll(() => node.ask('EXISTS', keyOf(scope)).catch(() => 'away')).toBe(1);
      // The lease of its process may have been on the same primary.
      await expect
        .poll(() => other.claim(scope, 'print').catch(() => 'away'))
        .toEqual({ state: 'running', fingerprint: 'print' });
      one.ended(scope, 'not kept', null);
      await expect.poll(() => other.claim(scope, 'print')).toEqual({ state: 'not kept', fingerprint: 'print' });
    }
  });

  it('announces keys and live events to every process, whichever node it listens to', async () => {
    const { servers } = cluster;
    const seen: string[] = [];
    const changes = Array.from({ length: 6 }, () => kept(new RedisKeyChanges(servers, quiet)));
    for (const [at, each] of changes.entries()) each.open(({ id }) => void seen.push(`${at} ${id}`));
    for (const at of changes.keys())
      await expect
        .poll(() => {
          changes[(at + 1) % 6]?.publish({ id: 'key', revoked: true });
          return seen;
        })
        .toContain(`${at} key`);
    const buses = Array.from({ length: 6 }, () => kept(new RedisLiveBus(servers, quiet)));
    const [publisher, ...others] = buses;
    for (const bus of buses) bus.open();
    const numbers = Array.from({ length: 200 }, (_, number) => String(number));
    const received = others.map((bus, at) => {
      const messages: string[] = [];
      bus.listen(`topic-${at}`, { onMessage: (text) => void messages.push(text), onLoss: () => messages.push('lost') });
      return messages;
    });
    for (const at of received.keys()) await expect.poll(() => publisher?.hasSubscribers(`topic-${at}`)).toBe(true);
    for (const number of numbers) for (const at of received.keys()) publisher?.publish(`topic-${at}`, number);
    for (const messages of received) await expect.poll(() => messages).toEqual(numbers);
  });

  it('loses no budget whose slot moves', async () => {
    const [from, to] = cluster.nodes;
    if (from === undefined || to === undefined) throw new Error('The cluster has no nodes.');
    const store = await make(new FakeClock(Date.now()));
    const lost: string[] = [];
    store.onLost((accountId) => lost.push(accountId));
    const keys = [100, 200].map((number) => keyOn(from, {}, number));
    const budgets = keys.map(totalBudget);
    for (const budget of budgets) {
      await store.open(budget);
      await store.add(budget, 4n, Date.now());
    }
    // The first is that of the list of processes.
    for (const slot of [0, ...keys.map(({ accountId }) => slotOf(accountId))]) await moveSlot(from, to, slot);
    for (const budget of budgets) {
      await expect.poll(() => store.state(budget).catch(() => null)).toMatchObject({ spentNano: 4n });
      await store.whenOthersReady(budget.accountId);
      const spending = { ...keyOn(from), accountId: budget.accountId, budgets: [budget] };
      await store.reserve(spending, 'openai/x', hold(spending, `moved ${budget.accountId}`, 1n));
    }
    expect(lost).toEqual([]);
  });

  it('is followed while a slot moves from one primary to another', async () => {
    const [from, to] = cluster.nodes;
    if (from === undefined || to === undefined) throw new Error('The cluster has no nodes.');
    const { accountId } = keyOn(from);
    const [key, missing, slot] = [`{${accountId}}:a`, `{${accountId}}:b`, String(slotOf(accountId))];
    const connection = kept(new RedisConnection({ servers: cluster.servers }));
    await connection.open();
    await connection.send(key, ['SET', key, 'value']);
    const [fromId, toId] = [String(await from.ask('CLUSTER', 'MYID')), String(await to.ask('CLUSTER', 'MYID'))];
    await to.ask('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId);
    await from.ask('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId);
    // Asks the new one for what the old one does not have.
    expect(await connection.send(missing, ['SET', missing, 'new'], { timeoutMs })).toBe('OK');
    expect(await connection.send(key, ['GET', key], { timeoutMs })).toBe('value');
    await from.ask('MIGRATE', '127.0.0.1', String(to.port), key, '0', '5000');
    for (const node of [to, from]) await node.ask('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
    expect(await connection.send(key, ['GET', key], { timeoutMs })).toBe('value');
    expect(await connection.send(missing, ['GET', missing], { timeoutMs })).toBe('new');
  });

  it('serves the accounts of the others while a primary does not respond, and all once its replica is promoted', async () => {
    const [node, other] = cluster.nodes.slice(1);
    if (node === undefined || other === undefined) throw new Error('The cluster has no nodes.');
    const replica = await cluster.addReplica(node);
    const clock = new FakeClock(Date.now());
    const store = await make(clock);
    const lost: string[] = [];
    store.onLost((accountId) => lost.push(accountId));
    const [stuck, fine] = [keyOn(node, { requestsPerMinute: 1 }), keyOn(other)];
    const budget = totalBudget(stuck);
    const spending = { ...stuck, budgets: [budget] };
    await store.open(budget);
    await store.add(budget, 4n, clock.now());
    await whenReplicated(node, replica);
    node.pause();
    // Each waits for the time of a response, then has the share of this process.
    const asked = [0, 1].map((at) => Promise.resolve(store.reserve(stuck, 'openai/x', hold(stuck, `stuck ${at}`))));
    const outcomes = Promise.allSettled(asked);
    await store.reserve(fine, 'openai/x', hold(fine, 'fine'));
    await clock.advanceAsync(timeoutMs);
    expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await store.reserve(fine, 'openai/x', hold(fine, 'fine too'));
    await expect(store.reserve(spending, 'openai/x', hold(spending, 'refused', 1n))).rejects.toMatchObject({
      code: 'limits_unavailable',
    });
    await replica.ask('CLUSTER', 'FAILOVER', 'TAKEOVER');
    // By itself: it has what was spent, and the budget is counted again in case it lacks the last charges.
    // What is sent to the former primary has no response: its time passes only here.
    const state = async (): Promise<unknown> => {
      const late = setTimeout(() => void clock.advanceAsync(timeoutMs), 2_000);
      return store
        .state(budget)
        .catch(() => null)
        .finally(() => clearTimeout(late));
    };
    await expect.poll(state).toMatchObject({ spentNano: 4n });
    await expect.poll(() => state().then(() => lost)).toContain(stuck.accountId);
    expect(await store.open(budget)).toBe(true);
    await store.add(budget, 10n, clock.now());
    await expect(store.reserve(spending, 'openai/x', hold(spending, 'over', 1n))).rejects.toMatchObject({
      code: 'insufficient_quota',
    });
    node.resume();
  });
});

/** With its keys. */
async function moveSlot(from: ClusterNode, to: ClusterNode, slot: number): Promise<void> {
  const [fromId, toId] = [String(await from.ask('CLUSTER', 'MYID')), String(await to.ask('CLUSTER', 'MYID'))];
  await to.ask('CLUSTER', 'SETSLOT', String(slot), 'IMPORTING', fromId);
  await from.ask('CLUSTER', 'SETSLOT', String(slot), 'MIGRATING', toId);
  const keys = z.array(z.string()).parse(await from.ask('CLUSTER', 'GETKEYSINSLOT', String(slot), '1000'));
  for (const key of keys) await from.ask('MIGRATE', '127.0.0.1', String(to.port), key, '0', '5000');
  for (const node of [to, from]) await node.ask('CLUSTER', 'SETSLOT', String(slot), 'NODE', toId);
}
