import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import type { StoredResponse } from '../../../src/database/entities/index.ts';
import type { NewResponse } from '../../../src/gateway/capabilities/responses/background/run-store.ts';
import { accountReach } from '../../../src/services/object-reach.ts';
import { publicResponseId } from '../../../src/services/responses/response-id.ts';
import { JobQueue } from '../../../src/jobs/job-queue.ts';
import { ChangeSignal } from '../../../src/live/change-signal.ts';
import { ResponseSweep } from '../../../src/services/responses/jobs.ts';
import { ResponsesService } from '../../../src/services/responses/responses.service.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { givenResponse, newAccount, type Given } from './given-response.ts';

const LEASE_MS = 60_000;
const ENDED_MS = -1_000;
const failure = {
  code: 'server_error',
  message: 'The server that ran this response stopped before it was finished.',
};

describeWithDatabase('the sweep of responses', (databases) => {
  let database: Database;
  let service: ResponsesService;
  let sweep: ResponseSweep;
  let jobs: JobQueue;
  let changed: string[];
  let accountId: string;

  beforeAll(async () => {
    database = await databases.open();
  });

  beforeEach(async () => {
    await database.query('delete from responses');
    accountId = await newAccount(database);
    changed = [];
    const changes = new ChangeSignal();
    service = new ResponsesService({ database, changes, log: { warn: () => undefined } });
    jobs = new JobQueue(database);
    sweep = new ResponseSweep(jobs, {
      database,
      onChanged: (id) => {
        changed.push(id);
        changes.notify(id);
      },
    });
  });

  async function begun(leaseMs: number, given: Given = {}): Promise<NewResponse> {
    const response = givenResponse(accountId, { status: 'queued', said: null, ...given });
    await service.begin(response, leaseMs);
    return response;
  }

  const find = ({ id }: NewResponse): Promise<StoredResponse> =>
    service.get(accountReach(accountId), publicResponseId(id));

  it('ends abandoned responses, and notifies their watchers', async () => {
    const lost = await begun(ENDED_MS);
    const silent = await begun(ENDED_MS);
    const running = await begun(LEASE_MS);
    const over = await begun(LEASE_MS);
    await service.finish(over.id, { ...over.response, status: 'completed' }, 5n);
    const kept = givenResponse(accountId);
    await service.store(kept);
    const told = [0, 1].map((sequenceNumber) => ({ sequenceNumber, json: `{"n":${sequenceNumber}}` }));
    await service.append(lost.id, told);
    await service.update(lost.id, { ...lost.response, status: 'in_progress', marked: 'kept' });
    const seen: string[] = [];
    const watching = (async () => {
      const never = new AbortController().signal;
      for await (const json of service.watch(accountReach(accountId), publicResponseId(lost.id), 0, never))
        seen.push(json);
    })();
    await sweep.sweep();
    await watching;
    expect(changed.toSorted()).toEqual([lost.id, silent.id].toSorted());
    const row = await find(lost);
    expect(row).toMatchObject({ status: 'failed', leaseUntil: null, costNano: lost.costNano });
    expect(row.completedAt).toBeInstanceOf(Date);
    expect(row.response).toEqual({ ...lost.response, status: 'failed', error: failure, marked: 'kept' });
    expect(seen[0]).toBe('{"n":1}');
    expect(seen).toHaveLength(2);
    // Stream readers expect the type first.
    expect(seen[1]).toMatch(/^\{"type":"response\.failed","sequence_number":2,/);
    expect(JSON.parse(seen[1] ?? '')).toMatchObject({ response: row.response });
    expect(await service.events(silent.id, -1, 10)).toMatchObject([{ sequenceNumber: 0 }]);
    expect((await find(running)).status).toBe('queued');
    expect(await find(over)).toMatchObject({ status: 'completed', costNano: 5n });
    expect((await find(kept)).status).toBe('completed');
    changed = [];
    await sweep.sweep();
    expect(changed).toEqual([]);
  });

  it('ends a response once: a process with an expired lease cannot continue it', async () => {
    const lost = await begun(ENDED_MS);
    await sweep.sweep();
    expect(await service.renew([lost.id], LEASE_MS)).toEqual([lost.id]);
    await service.append(lost.id, [{ sequenceNumber: 1, json: '{}' }]);
    await service.update(lost.id, { ...lost.response, status: 'in_progress' });
    expect(await service.finish(lost.id, { ...lost.response, status: 'completed' }, 1n)).toBe(false);
    expect((await find(lost)).status).toBe('failed');
    expect(await service.events(lost.id, -1, 10)).toHaveLength(1);
  });

  it('leaves renewed responses', async () => {
    const renewed = await begun(ENDED_MS);
    expect(await service.renew([renewed.id], LEASE_MS)).toEqual([]);
    await sweep.sweep();
    expect((await find(renewed)).status).toBe('queued');
  });

  it('ends many in batches, each once by concurrent processes', async () => {
    const lost: string[] = [];
    for (let at = 0; at < 130; at++) lost.push((await begun(ENDED_MS)).id);
    const other = new ResponseSweep(new JobQueue(database), { database, onChanged: (id) => changed.push(id) });
    await Promise.all([sweep.sweep(), other.sweep()]);
    expect(changed.toSorted()).toEqual(lost.toSorted());
    const events = await database.query('select from response_events');
    expect(events).toHaveLength(130);
  });

  it('removes expired responses with their events', async () => {
    const [old, fresh] = [await begun(LEASE_MS), await begun(LEASE_MS)];
    for (const { id } of [old, fresh]) await service.append(id, [{ sequenceNumber: 0, json: '{}' }]);
    await database.query("update responses set expires_at = now() - interval '1 minute' where id = $1", [old.id]);
    await database.query(
      `insert into responses (id, account_id, api_key_id, model, status, input, response, created_at, completed_at, expires_at)
       select gen_random_uuid(), account_id, api_key_id, model, 'completed', input, response, created_at, created_at, expires_at
       from responses, generate_series(1, 1500) where id = $1`,
      [old.id],
    );
    await sweep.sweep();
    expect(await database.query('select id from responses')).toEqual([{ id: fresh.id }]);
    expect(await database.query('select response_id as id from response_events')).toEqual([{ id: fresh.id }]);
  });

  it('stops when it is aborted', async () => {
    const lost = await begun(ENDED_MS);
    await sweep.sweep(AbortSignal.abort());
    expect((await find(lost)).status).toBe('queued');
  });

  it('ends responses of an earlier process at the start, if no other process runs any', async () => {
    const left = await begun(LEASE_MS, { at: Date.now() - 60_000 });
    const mine = await begun(LEASE_MS);
    await sweep.resume(false);
    expect([(await find(left)).status, (await find(mine)).status]).toEqual(['queued', 'queued']);
    await sweep.resume(true);
    expect([(await find(left)).status, (await find(mine)).status]).toEqual(['failed', 'queued']);
    expect((await find(left)).response.error).toEqual(failure);
  });

  it('is a job that runs every minute', async () => {
    await jobs.start();
    expect(await database.query("select cron from pgboss.schedule where name = 'sweep-responses'")).toEqual([
      { cron: '* * * * *' },
    ]);
    await jobs.stop();
  });
});
