import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { shareLimits } from '../../../src/composition/gateway/worker-limits.ts';
import { toSluiceError } from '../../../src/errors/index.ts';
import type { KeyRecord } from '../../../src/gateway/keys/key-directory.ts';
import { boundsOf, type Reservation } from '../../../src/gateway/limits/limit-store.ts';
import { WorkerLimitStore } from '../../../src/gateway/limits/shared/worker-limit-store.ts';
import { ChannelHandlers } from '../../../src/workers/channel-handlers.ts';
import { PeerChannel } from '../../../src/workers/peer-channel.ts';
import { WorkerGroup, type GroupMember } from '../../../src/workers/worker-group.ts';
import { allowanceContract } from '../../harness/allowance-contract.ts';
import { peerOf } from '../../harness/child-peer.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { key as anyKey } from '../../harness/gateway.ts';
import { limitBoundContract } from '../../harness/limit-bound-contract.ts';
import { limitStoreContract } from '../../harness/limit-store-contract.ts';
import { standingHoldContract } from '../../harness/standing-hold-contract.ts';
import type { TimedOperations } from './limit-supervisor.ts';
import type { WorkerCommand } from './limit-worker.ts';

describe('limits of a worker and its supervisor', () => {
  let supervisor: ChildProcess;
  let channel: PeerChannel;
  let handlers: ChannelHandlers;
  let stores = 0;

  beforeAll(() => {
    supervisor = fork(fileURLToPath(new URL('limit-supervisor.ts', import.meta.url)));
    handlers = new ChannelHandlers();
    channel = new PeerChannel(peerOf(supervisor), handlers);
  });
  afterAll(() => supervisor.kill('SIGKILL'));

  function make(clock: FakeClock): WorkerLimitStore {
    const store = ++stores;
    const timed = (operations: TimedOperations['operations']) => ({ now: clock.now(), store, operations });
    return new WorkerLimitStore(
      {
        request: (operations) => channel.request('limits', timed(operations)),
        post: (operations) => channel.post('limits', timed(operations)),
        onNotice: (listener) => handlers.onPost('limits', listener),
      },
      clock,
    );
  }

  limitStoreContract('of a forked worker', make, 15);
  allowanceContract('of a forked worker', make);
  limitBoundContract('of a forked worker', make, 15);
  standingHoldContract('of a forked worker', make);

  it('are refused while the supervisor is stopped, and hold nothing of that once it continues', async () => {
    const clock = new FakeClock();
    const store = make(clock);
    const key: KeyRecord = { ...anyKey, id: 'stopped', limits: { ...anyKey.limits, concurrency: 3 } };
    const bounds = boundsOf(key);
    const reservations: Reservation[] = [];
    const reserve = async (): Promise<string | null> => {
      const reservation = { eventId: '', at: clock.now(), bounds, tokens: 1, costNano: 0n };
      try {
        await store.reserve(key, 'openai/x', reservation);
        reservations.push(reservation);
        return null;
      } catch (error) {
        return toSluiceError(error).code;
      }
    };
    const reserveAll = (count: number) => Promise.all(Array.from({ length: count }, reserve));
    // A supervisor of its own for this store, before it is stopped.
    expect(await reserveAll(1)).toEqual([null]);
    for (const reservation of reservations.splice(0)) store.settle(key, reservation, { tokens: 1, costNano: 0n });
    // What it has lent is returned.
    await clock.advanceAsync(2_000);
    await clock.advanceAsync(2_000);
    supervisor.kill('SIGSTOP');
    const waiting = reserveAll(5);
    await clock.advanceAsync(5_000);
    const refused = Array.from({ length: 5 }, () => 'limits_unavailable');
    expect(await waiting).toEqual(refused);
    // Without waiting again.
    expect(await reserveAll(5)).toEqual(refused);
    supervisor.kill('SIGCONT');
    const admits = async (): Promise<string | null> => {
      await clock.advanceAsync(1_000);
      return reserve();
    };
    await expect.poll(admits).toBeNull();
    expect((await reserveAll(10)).filter((code) => code === null)).toHaveLength(2);
    expect(reservations).toHaveLength(3);
    store.stop();
  });
});

interface ForkedWorker {
  readonly member: GroupMember;
  ask(command: WorkerCommand): Promise<unknown>;
  reserve(command: Omit<Extract<WorkerCommand, { type: 'reserve' }>, 'type'>): Promise<readonly (string | null)[]>;
  kill(): Promise<void>;
}

describe('limits of several worker processes', () => {
  const workers = new Set<ForkedWorker>();
  let group = new WorkerGroup();
  const faults: unknown[] = [];

  afterEach(async () => {
    for (const worker of workers) await worker.kill();
    expect(faults).toEqual([]);
  });

  function startSupervisor(): void {
    group = new WorkerGroup();
    shareLimits(group, { error: (fields) => void faults.push(fields) });
  }

  function startWorker(slot: number): ForkedWorker {
    const child = fork(fileURLToPath(new URL('limit-worker.ts', import.meta.url)));
    const member = group.join(slot, peerOf(child));
    const exited = once(child, 'exit').then(() => group.leave(member));
    let last = 0;
    const ask = (command: WorkerCommand): Promise<unknown> => {
      const number = ++last;
      return new Promise((resolve, reject) => {
        const listen = (message: { number?: number; result?: unknown }): void => {
          if (message.number !== number) return;
          child.off('message', listen);
          resolve(message.result);
        };
        child.on('message', listen);
        void exited.then(() => reject(new Error('the worker has ended')));
        child.send({ number, command });
      });
    };
    const worker: ForkedWorker = {
      member,
      ask,
      reserve: async (command) => {
        const codes = await ask({ type: 'reserve', ...command });
        if (!Array.isArray(codes)) throw new TypeError('the worker sent no codes');
        return codes;
      },
      kill: async () => {
        workers.delete(worker);
        child.kill('SIGKILL');
        await exited;
      },
    };
    workers.add(worker);
    return worker;
  }

  it('admit exactly ten of two hundred concurrent requests, a hundred times over', async () => {
    startSupervisor();
    const started = [0, 1, 2].map(startWorker);
    for (let round = 0; round < 100; round++) {
      const limits = [{ requestsPerDay: 10 }, { tokensPerMinute: 10 }, { concurrency: 10 }][round % 3];
      const codes = await Promise.all(
        started.map((worker, slot) =>
          worker.reserve({ keyId: `round ${round}`, count: slot === 0 ? 100 : 50, limits: limits ?? {} }),
        ),
      );
      expect(codes.flat().filter((code) => code === null)).toHaveLength(10);
      expect(codes.flat()).toHaveLength(200);
    }
  });

  it('admit exactly as many as fit where most are admitted by leases', async () => {
    startSupervisor();
    const started = [0, 1, 2].map(startWorker);
    for (let round = 0; round < 20; round++) {
      // Of a day: hardly anything is refilled within this test.
      const limits = { requestsPerDay: 3_000 };
      let admitted = 0;
      const ask = async (worker: ForkedWorker): Promise<void> => {
        for (let turn = 0; turn < 60; turn++) {
          const codes = await worker.reserve({ keyId: `lent ${round}`, count: 20, limits });
          admitted += codes.filter((code) => code === null).length;
        }
      };
      await Promise.all(started.map(ask));
      expect(admitted).toBe(3_000);
    }
  });

  it('never overdraw a budget that all of them spend from', async () => {
    startSupervisor();
    const started = [0, 1].map(startWorker);
    const budget = { keyId: 'spender', amount: '1000' };
    for (const worker of started) await worker.ask({ type: 'open', ...budget, spent: '0' });
    const spend = { ...budget, count: 100, limits: {}, cost: '100' };
    const codes = await Promise.all(started.map((worker) => worker.reserve(spend)));
    expect(codes.flat().filter((code) => code === null)).toHaveLength(10);
    for (const worker of started) await worker.ask({ type: 'settle', cost: '50' });
    await expect.poll(() => started[0]?.ask({ type: 'state', ...budget })).toEqual({ spent: '500', reserved: '0' });
    const more = await Promise.all(started.map((worker) => worker.reserve(spend)));
    expect(more.flat().filter((code) => code === null)).toHaveLength(5);
  });

  it('hold what a killed worker reserved until its journal is recovered, and release its slots at once', async () => {
    startSupervisor();
    const [one, another] = [startWorker(0), startWorker(1)];
    const budget = { keyId: 'spender', amount: '1000' };
    for (const worker of [one, another]) await worker.ask({ type: 'open', ...budget, spent: '0' });
    const spend = { ...budget, count: 7, limits: { concurrency: 8 }, cost: '100' };
    expect(await one.reserve(spend)).toEqual(Array.from({ length: 7 }, () => null));
    const [first, second] = await another.reserve({ ...spend, count: 2 });
    expect([first, second]).toEqual([null, 'rate_limit_concurrency']);
    await one.kill();
    const after = await another.reserve({ ...spend, count: 7 });
    expect(after.map((code) => code ?? 'admitted')).toEqual([
      'admitted',
      'admitted',
      ...Array.from({ length: 5 }, () => 'insufficient_quota'),
    ]);
    const next = startWorker(0);
    // Its interrupted requests were settled with 30 each.
    expect(await next.ask({ type: 'open', ...budget, spent: '210' })).toBe(true);
    await next.ask({ type: 'recovered' });
    expect(await another.ask({ type: 'state', ...budget })).toEqual({ spent: '210', reserved: '300' });
    const left = await next.reserve({ ...spend, limits: { concurrency: 100 }, count: 10 });
    expect(left.filter((code) => code === null)).toHaveLength(4);
  });
});
