import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { JobQueue } from '../../../src/jobs/job-queue.ts';
import { ChangeSignal } from '../../../src/live/change-signal.ts';
import { ResponseSweep } from '../../../src/services/responses/jobs.ts';
import { ResponsesService } from '../../../src/services/responses/responses.service.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { givenRequest, givenResponse, leaseOf, newAccount } from './given-response.ts';

const LEASE_MS = 60_000;

describeWithDatabase('the sweep of responses', (databases) => {
  let database: Database;
  let service: ResponsesService;
  let sweep: ResponseSweep;
  let jobs: JobQueue;
  let accountId: string;

  beforeAll(async () => {
    database = await databases.open();
  });

  beforeEach(async () => {
    await database.query('delete from responses');
    accountId = await newAccount(database);
    service = new ResponsesService({ database, changes: new ChangeSignal(), log: { warn: () => undefined } });
    jobs = new JobQueue(database);
    sweep = new ResponseSweep(jobs, { database });
  });

  async function begun(): Promise<{ readonly id: string }> {
    const response = givenResponse(accountId, { status: 'queued', said: null });
    await service.begin(response, givenRequest, LEASE_MS);
    return response;
  }

  it('removes expired responses with their events', async () => {
    const [old, fresh] = [await begun(), await begun()];
    for (const { id } of [old, fresh]) await service.append(leaseOf(id), [{ sequenceNumber: 0, json: '{}' }]);
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
    const old = await begun();
    await database.query("update responses set expires_at = now() - interval '1 minute'");
    await sweep.sweep(AbortSignal.abort());
    expect(await database.query('select id from responses')).toEqual([{ id: old.id }]);
  });

  it('is a job that runs every minute', async () => {
    await jobs.start();
    expect(await database.query("select cron from pgboss.schedule where name = 'sweep-responses'")).toEqual([
      { cron: '* * * * *' },
    ]);
    await jobs.stop();
  });
});
