import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import type { StoredResponse } from '../../../src/database/entities/index.ts';
import type { AbandonedRun, NewResponse } from '../../../src/gateway/capabilities/responses/background/run-store.ts';
import { newEventIds } from '../../../src/gateway/event-id.ts';
import { ChangeSignal } from '../../../src/live/change-signal.ts';
import { accountReach } from '../../../src/services/object-reach.ts';
import { StoredAbandonedRuns } from '../../../src/services/responses/abandoned-runs.ts';
import { publicResponseId } from '../../../src/services/responses/response-id.ts';
import { ResponsesService } from '../../../src/services/responses/responses.service.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeOnEachDatabase } from '../../harness/databases.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';
import { givenRequest, givenResponse, leaseOf, newAccount, type Given } from './given-response.ts';

const LEASE_MS = 60_000;
const ENDED_MS = -1_000;
const refusal = { code: 'invalid_prompt', message: 'The key was revoked.' };

describeOnEachDatabase('abandoned responses', (databases) => {
  let database: Database;
  let service: ResponsesService;
  let abandoned: StoredAbandonedRuns;
  let accountId: string;

  beforeAll(async () => {
    database = await databases.open();
    abandoned = new StoredAbandonedRuns(database);
    service = new ResponsesService({ database, changes: new ChangeSignal(), log: { warn: () => undefined } });
  });

  beforeEach(async () => {
    await database.query('delete from responses');
    accountId = await newAccount(database);
  });

  async function begun(leaseMs: number, given: Given = {}): Promise<NewResponse> {
    const response = givenResponse(accountId, { status: 'queued', said: null, costNano: null, ...given });
    await service.begin(response, givenRequest, leaseMs);
    return response;
  }

  const find = ({ id }: { readonly id: string }): Promise<StoredResponse> =>
    service.get(accountReach(accountId), publicResponseId(id));

  const claim = (leaseMs = LEASE_MS, running: readonly string[] = []): ReturnType<StoredAbandonedRuns['claim']> =>
    abandoned.claim(leaseMs, running, newEventIds().eventId);

  async function claimed(leaseMs = LEASE_MS): Promise<AbandonedRun> {
    const { run } = (await claim(leaseMs)) ?? {};
    if (run === null || run === undefined) throw new Error('there is none');
    return run;
  }

  /** The stored request. */
  const requests = (): Promise<object[]> => database.query('select request from responses');

  async function bill(eventId: string, status: 'succeeded' | 'interrupted'): Promise<void> {
    const record = usageRecord({ account_id: accountId, event_id: eventId, status, cost_nano: '7' });
    await new UsageStore(database, (_row, error) => expect.fail(String(error))).store(rowsJson([record]), '[]');
  }

  it('run again in one process, with their request, after their events', async () => {
    const lost = await begun(ENDED_MS, { previousId: null });
    await begun(LEASE_MS);
    await service.append(
      leaseOf(lost.id),
      [0, 1].map((at) => ({ sequenceNumber: at, json: `{"n":${at}}` })),
    );
    const runs = await Promise.all([claim(), claim()]);
    const [run] = runs.flatMap((each) => (each === null ? [] : [each.run]));
    expect(runs).toContain(null);
    expect(run).toMatchObject({
      id: lost.id,
      token: 2,
      key: lost.key,
      input: lost.input,
      request: givenRequest,
      response: lost.response,
      nextSequence: 2,
    });
    expect(run?.eventId).not.toBe(lost.id);
    expect(run).not.toHaveProperty('rerunBeganAt');
  });

  it('are lost to the process that had them', async () => {
    const lost = await begun(ENDED_MS);
    const run = await claimed();
    const earlier = leaseOf(lost.id);
    expect(await service.renew([earlier], LEASE_MS)).toEqual([lost.id]);
    await service.append(earlier, [{ sequenceNumber: 0, json: '{}' }]);
    await service.append(earlier, [], { ...lost.response, status: 'in_progress' });
    await service.release(earlier, 0, true);
    await abandoned.fail(earlier, refusal);
    expect(await service.finish(earlier, { ...lost.response, status: 'completed' }, 1n)).toBe(false);
    expect((await find(lost)).status).toBe('queued');
    expect(await service.events(lost.id, -1, 10)).toEqual([]);
    expect(await service.renew([run], LEASE_MS)).toEqual([]);
    expect(await service.finish(run, { ...lost.response, status: 'completed' }, 1n)).toBe(true);
    expect((await find(lost)).status).toBe('completed');
    expect(await requests()).toEqual([{ request: null }]);
  });

  it('are not those of this process', async () => {
    const own = await begun(ENDED_MS);
    expect(await claim(LEASE_MS, [own.id])).toBeNull();
    await service.renew([leaseOf(own.id)], LEASE_MS);
    expect(await claim()).toBeNull();
  });

  it('fail after five runs', async () => {
    const lost = await begun(ENDED_MS);
    for (let attempt = 2; attempt <= 5; attempt++) await claimed(ENDED_MS);
    expect(await claim()).toEqual({ id: lost.id, run: null });
    const row = await find(lost);
    const message =
      'The server that ran this response stopped before it was finished, 5 times. Create the response again.';
    expect(row).toMatchObject({ status: 'failed', leaseUntil: null, completedAt: expect.any(Date) });
    expect(row.response).toEqual({ ...lost.response, status: 'failed', error: { code: 'server_error', message } });
    expect(await requests()).toEqual([{ request: null }]);
    const [event] = await service.events(lost.id, -1, 10);
    // Stream readers expect the type first.
    expect(event?.json).toMatch(/^\{"type":"response\.failed","sequence_number":0,/);
    expect(JSON.parse(event?.json ?? '')).toMatchObject({ response: row.response });
    expect(await claim()).toBeNull();
  });

  it('fail after a day, and where their request was not stored', async () => {
    const [old, plain] = [await begun(ENDED_MS, { at: Date.now() - 25 * 3_600_000 }), await begun(ENDED_MS)];
    await database.query('update responses set request = null where id = $1', [plain.id]);
    expect([await claim(), await claim()]).toMatchObject([{ run: null }, { run: null }]);
    expect([(await find(old)).status, (await find(plain)).status]).toEqual(['failed', 'failed']);
  });

  it('do not count runs that were not sent, and wait as long as they are told to', async () => {
    const lost = await begun(ENDED_MS);
    for (let turn = 0; turn < 10; turn++) await service.release(await claimed(), ENDED_MS, false);
    const run = await claimed();
    expect(run.token).toBeGreaterThan(20);
    await service.release(run, LEASE_MS, true);
    expect(await claim()).toBeNull();
    // One that waits is cancelled without delay.
    await service.requestCancel(accountReach(accountId), publicResponseId(lost.id));
    expect(await claim()).toEqual({ id: lost.id, run: null });
    expect(await find(lost)).toMatchObject({ status: 'cancelled', response: { status: 'cancelled' } });
    expect(JSON.parse((await service.events(lost.id, -1, 10))[0]?.json ?? '')).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'cancelled' },
    });
  });

  it('leave the cancellation of one that runs to its process', async () => {
    const running = await begun(LEASE_MS);
    await service.requestCancel(accountReach(accountId), publicResponseId(running.id));
    expect(await claim()).toBeNull();
    expect(await service.renew([leaseOf(running.id)], LEASE_MS)).toEqual([running.id]);
  });

  it('complete where their last event was stored', async () => {
    const lost = await begun(ENDED_MS);
    const response = { ...lost.response, status: 'completed', output: [{ id: 'msg_1' }] };
    const json = JSON.stringify({ type: 'response.completed', sequence_number: 0, response });
    await service.append(leaseOf(lost.id), [{ sequenceNumber: 0, json }]);
    await bill(lost.id, 'succeeded');
    expect(await claim()).toEqual({ id: lost.id, run: null });
    expect(await find(lost)).toMatchObject({ status: 'completed', response, costNano: 7n });
    expect(await service.events(lost.id, -1, 10)).toHaveLength(1);
  });

  it('run again as the same event where it is billed as complete', async () => {
    const [complete, cut] = [await begun(ENDED_MS), await begun(ENDED_MS)];
    await bill(complete.id, 'succeeded');
    await bill(cut.id, 'interrupted');
    const runs = new Map([await claimed(), await claimed()].map((run) => [run.id, run]));
    expect(runs.get(complete.id)).toMatchObject({ eventId: complete.id, rerunBeganAt: expect.any(Number) });
    expect(runs.get(cut.id)?.eventId).not.toBe(cut.id);
  });

  it('fail with the error that refuses them', async () => {
    const lost = await begun(ENDED_MS);
    await abandoned.fail(await claimed(), refusal);
    expect(await find(lost)).toMatchObject({
      status: 'failed',
      response: { error: refusal },
    });
  });

  it('include those of an earlier process at the start, if no other process runs any', async () => {
    const left = await begun(LEASE_MS, { at: Date.now() - 60_000 });
    await begun(LEASE_MS);
    await abandoned.endLeases(new Date(Date.now() - 30_000));
    expect((await claimed()).id).toBe(left.id);
    expect(await claim()).toBeNull();
  });
});
