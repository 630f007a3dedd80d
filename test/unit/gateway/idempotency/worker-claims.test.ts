import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClaimServer } from '../../../../src/gateway/idempotency/shared/claim-server.ts';
import { WorkerClaims } from '../../../../src/gateway/idempotency/shared/worker-claims.ts';
import type { SharedAnswer } from '../../../../src/gateway/idempotency/shared-claims.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

const HOUR_MS = 3_600_000;
const ACCOUNT = '00000000-0000-4000-8000-0000000000aa';

describe('idempotency keys of workers', () => {
  let folder: string;
  let clock: FakeClock;
  let server: ClaimServer;
  let one: WorkerClaims;
  let other: WorkerClaims;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-claims-'));
    clock = new FakeClock();
    server = new ClaimServer(2, clock);
    [one, other] = [worker(0), worker(1)];
    one.recovered([]);
    other.recovered([]);
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function worker(slot: number): WorkerClaims {
    const ask = async (question: Parameters<ClaimServer['ask']>[1]) =>
      JSON.parse(JSON.stringify(server.ask(slot, question)));
    return new WorkerClaims({
      messages: {
        claim: (scope, fingerprint, accountId) => ask(['claim', scope, fingerprint, accountId]),
        answer: (scope) => ask(['answer', scope]),
        post: (notice) => server.notice(slot, notice),
      },
      answersOf,
      clock,
    });
  }

  function answerOf(sealed: Buffer): SharedAnswer {
    return { bytes: sealed.length, seal: () => sealed };
  }

  function answersOf(slot: number): string {
    const path = join(folder, String(slot));
    mkdirSync(path, { recursive: true });
    return path;
  }

  it('belong to one worker, which may claim its own running key again', async () => {
    expect(await one.claim('key', 'print', ACCOUNT)).toBeNull();
    expect(await other.claim('key', 'another', ACCOUNT)).toEqual({ state: 'running', fingerprint: 'print' });
    expect(await one.claim('key', 'print', ACCOUNT)).toBeNull();
  });

  it('are free after a release, and only their worker releases or ends them', async () => {
    await one.claim('key', 'print', ACCOUNT);
    other.free('key');
    other.ended('key', 'not kept', null);
    expect(await other.claim('key', 'x', ACCOUNT)).toEqual({ state: 'running', fingerprint: 'print' });
    one.free('key');
    expect(await other.claim('key', 'later', ACCOUNT)).toBeNull();
  });

  it('have the response that their worker stored, once it is complete', async () => {
    const sealed = Buffer.from([0, 255, 10, 13, 128]);
    await one.claim('key', 'print', ACCOUNT);
    one.ended('key', 'kept', answerOf(sealed));
    expect(await other.claim('key', 'print', ACCOUNT)).toEqual({ state: 'kept', fingerprint: 'print' });
    const path = join(answersOf(0), 'key');
    writeFileSync(path, sealed.subarray(0, 2));
    const answer = other.answer('key');
    await clock.advanceAsync(0);
    await clock.whenPending(2);
    writeFileSync(path, sealed);
    await clock.advanceAsync(50);
    expect(await answer).toEqual(sealed);
  });

  it('have no response where none is stored, or the file is gone', async () => {
    await one.claim('unstored', 'print', ACCOUNT);
    one.ended('unstored', 'not kept', null);
    await expect(other.answer('unstored')).rejects.toThrow('there is no stored response');
    await one.claim('gone', 'print', ACCOUNT);
    one.ended('gone', 'kept', answerOf(Buffer.from('sealed')));
    const missing = expect(other.answer('gone')).rejects.toThrow('is not on disk');
    await clock.advanceAsync(0);
    for (let poll = 0; poll < 40; poll++) {
      await clock.whenPending(2);
      await clock.advanceAsync(50);
    }
    await missing;
  });

  it('are interrupted where their worker ends while they run', async () => {
    await one.claim('running', 'print', ACCOUNT);
    await one.claim('ended', 'print', ACCOUNT);
    one.ended('ended', 'not kept', null);
    server.leave(0);
    expect(await other.claim('running', 'print', ACCOUNT)).toEqual({ state: 'interrupted', fingerprint: 'print' });
    expect(await other.claim('ended', 'print', ACCOUNT)).toEqual({ state: 'not kept', fingerprint: 'print' });
  });

  it('are free again where their worker ended before they were on disk, once the next one has sent those that were', async () => {
    for (const scope of ['on disk', 'not on disk', 'ended']) await one.claim(scope, 'print', ACCOUNT);
    await other.claim('of the other', 'print', ACCOUNT);
    one.ended('ended', 'interrupted', null);
    server.leave(0);
    expect(await other.claim('not on disk', 'print', ACCOUNT)).toEqual({ state: 'interrupted', fingerprint: 'print' });
    const left = { accountId: ACCOUNT, fingerprint: 'print', state: 'interrupted', bytes: 0, leftMs: HOUR_MS } as const;
    one.recovered([{ scope: 'on disk', ...left }]);
    expect(await other.claim('not on disk', 'print', ACCOUNT)).toBeNull();
    for (const scope of ['on disk', 'ended'])
      expect(await other.claim(scope, 'print', ACCOUNT)).toEqual({ state: 'interrupted', fingerprint: 'print' });
    expect(await one.claim('of the other', 'print', ACCOUNT)).toEqual({ state: 'running', fingerprint: 'print' });
  });

  it('are claimed only when each worker has sent those of earlier processes, which belong to it', async () => {
    server = new ClaimServer(2, clock);
    one.recovered([
      { scope: 'old', accountId: ACCOUNT, fingerprint: 'print', state: 'interrupted', bytes: 0, leftMs: HOUR_MS },
    ]);
    await expect(one.claim('key', 'print', ACCOUNT)).rejects.toThrow('not all workers');
    const many = Array.from({ length: 4_500 }, (_, at) => ({
      scope: `old ${at}`,
      accountId: ACCOUNT,
      fingerprint: 'print',
      bytes: 9,
    }));
    other.recovered(many.map((each) => ({ ...each, state: 'kept', leftMs: 2 * HOUR_MS })));
    expect(await one.claim('key', 'print', ACCOUNT)).toBeNull();
    expect(await other.claim('old', 'print', ACCOUNT)).toEqual({ state: 'interrupted', fingerprint: 'print' });
    expect(await one.claim('old 4499', 'print', ACCOUNT)).toEqual({ state: 'kept', fingerprint: 'print' });
    clock.advance(HOUR_MS);
    expect(await other.claim('old', 'print', ACCOUNT)).toBeNull();
    expect(await one.claim('old 0', 'print', ACCOUNT)).toEqual({ state: 'kept', fingerprint: 'print' });
  });

  it('expire after a day, unless their request still runs', async () => {
    await one.claim('ended', 'print', ACCOUNT);
    one.ended('ended', 'interrupted', null);
    await one.claim('running', 'print', ACCOUNT);
    clock.advance(24 * HOUR_MS);
    expect(await other.claim('ended', 'later', ACCOUNT)).toBeNull();
    expect(await other.claim('running', 'print', ACCOUNT)).toEqual({ state: 'running', fingerprint: 'print' });
  });

  it('are refused to an account that has as many as it may, until one is released, and to no other account', async () => {
    server = new ClaimServer(0, clock, 2);
    expect(await one.claim('first', 'print', 'a')).toBeNull();
    expect(await other.claim('second', 'print', 'a')).toBeNull();
    await expect(one.claim('third', 'print', 'a')).rejects.toMatchObject({ code: 'too_many_idempotency_keys' });
    for (const account of ['b', 'c', 'd'])
      for (const key of ['one', 'two']) expect(await one.claim(`${account} ${key}`, 'print', account)).toBeNull();
    await expect(other.claim('third', 'print', 'a')).rejects.toMatchObject({ code: 'too_many_idempotency_keys' });
    other.free('second');
    expect(await other.claim('third', 'print', 'a')).toBeNull();
    one.ended('first', 'not kept', null);
    clock.advance(24 * HOUR_MS);
    expect(await other.claim('first', 'later', 'a')).toBeNull();
  });

  it('are refused while the supervisor does not respond, and released once it does', async () => {
    const unread: (() => void)[] = [];
    const stalled = new WorkerClaims({
      messages: {
        claim: (scope, fingerprint, accountId) => {
          unread.push(() => void server.ask(0, ['claim', scope, fingerprint, accountId]));
          return new Promise(() => undefined);
        },
        answer: () => new Promise(() => undefined),
        post: (notice) => unread.push(() => server.notice(0, notice)),
      },
      answersOf,
      clock,
    });
    const refused = [
      expect(stalled.claim('key', 'print', ACCOUNT)).rejects.toThrow('no response within'),
      expect(stalled.answer('key')).rejects.toThrow('no response within'),
    ];
    await clock.advanceAsync(5_000);
    await Promise.all(refused);
    for (const handle of unread) handle();
    expect(await other.claim('key', 'print', ACCOUNT)).toBeNull();
  });

  it('stay claimed by a request that follows one whose claim was given up', async () => {
    const unread: (() => void)[] = [];
    const slow = new WorkerClaims({
      messages: {
        claim: (scope, fingerprint, accountId) =>
          new Promise((resolve) => {
            unread.push(() => {
              server.ask(0, ['claim', scope, fingerprint, accountId]);
              resolve(null);
            });
          }),
        answer: () => new Promise(() => undefined),
        post: (notice) => unread.push(() => server.notice(0, notice)),
      },
      answersOf,
      clock,
    });
    const refused = expect(slow.claim('key', 'print', ACCOUNT)).rejects.toThrow('no response within');
    // Its client disconnects, and sends it again.
    slow.free('key');
    await clock.advanceAsync(2_000);
    const repeated = slow.claim('key', 'print', ACCOUNT);
    await clock.advanceAsync(3_000);
    await refused;
    for (const handle of unread) handle();
    expect(await repeated).toBeNull();
    expect(await other.claim('key', 'print', ACCOUNT)).toEqual({ state: 'running', fingerprint: 'print' });
  });
});
