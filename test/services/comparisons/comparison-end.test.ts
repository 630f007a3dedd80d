import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { Account, ComparisonLane } from '../../../src/database/entities/index.ts';
import { ComparisonRuns } from '../../../src/gateway/comparisons/comparison-runs.ts';
import { newLane, type LaneState } from '../../../src/gateway/comparisons/lane-state.ts';
import type { KeyRecord } from '../../../src/gateway/keys/key-directory.ts';
import type { Pipeline } from '../../../src/gateway/pipeline.ts';
import { ComparisonRows } from '../../../src/services/comparisons/comparison-rows.ts';
import { allTexts } from '../../../src/services/comparisons/comparison-views.ts';
import { ComparisonsService } from '../../../src/services/comparisons/comparisons.service.ts';
import { LaneRows, LEASE_MS } from '../../../src/services/comparisons/lane-rows.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { key } from '../../harness/gateway.ts';

const given = { kind: 'chat', name: null, models: ['a/a'], question: { prompt: 'Hello' } } as const;

describeWithDatabase('the end of a comparison', (databases) => {
  let database: Database;
  let caller: KeyRecord;

  beforeEach(async () => {
    database = await databases.open();
    const em = database.em();
    const account = em.create(Account, { name: 'A', createdAt: new Date() });
    await em.flush();
    caller = { ...key, id: randomUUID(), accountId: account.id, memberId: null };
  });

  it('is set as soon as no lane runs, before it is stored', async () => {
    const runs = new ComparisonRuns({
      pipeline: { open: () => ({ onClientDisconnect: () => undefined }), dependencies: {} } as unknown as Pipeline,
      models: { find: () => undefined },
      media: {} as never,
      storeFile: () => Promise.reject(new Error('there is no file')),
      store: { save: () => new Promise(() => undefined) },
      onSaveError: (error) => expect.fail(String(error)),
    });
    const service = new ComparisonsService({
      rows: new ComparisonRows(database),
      runs,
      discard: () => Promise.resolve(),
      linkTo: (id) => id,
    });
    const { row } = await service.start(caller, { kind: 'chat', models: ['a/a'], prompt: 'Hello' });
    const listed = async (isRunning: boolean): Promise<string[]> =>
      (await service.list(caller.accountId, { isRunning }, 10, null)).views.map((view) => view.row.id);
    expect(await service.get(caller.accountId, row.id)).toMatchObject({
      endedAt: null,
      lanes: [{ status: 'running' }],
    });
    expect([await listed(true), await listed(false)]).toEqual([[row.id], []]);
    runs.cancel(row.id, null);
    expect(await service.get(caller.accountId, row.id)).toMatchObject({
      endedAt: expect.any(Date),
      lanes: [{ status: 'cancelled' }],
    });
    expect([await listed(true), await listed(false)]).toEqual([[], [row.id]]);
  });

  it('is set if another process stores it during the read', async () => {
    const id = randomUUID();
    const endedAt = new Date();
    const lane: LaneState = { ...newLane(0, 'a/a', 'req'), status: 'finished' };
    const store = new LaneRows(database);
    let isStored = false;
    /** Stores the end between reading the row and its lanes. */
    const racing = new Proxy(database, {
      get: (target, name) => {
        if (name !== 'em') return Reflect.get(target, name);
        return () =>
          new Proxy(target.em(), {
            get: (em, member) => {
              const found: unknown = Reflect.get(em, member, em);
              if (typeof found !== 'function') return found;
              return async (...args: unknown[]) => {
                if (member === 'find' && args[0] === ComparisonLane && !isStored) {
                  isStored = true;
                  await store.save(id, [lane], endedAt);
                }
                return Reflect.apply(found, em, args);
              };
            },
          });
      },
    });
    await new ComparisonRows(database).begin(id, caller, given, [newLane(0, 'a/a', 'req')]);
    const view = await new ComparisonRows(racing).get(caller.accountId, id, allTexts);
    expect(view).toMatchObject({ endedAt, lanes: [{ status: 'finished' }] });
  });

  it('is the same before and after the sweep of a dead process', async () => {
    const clock = new FakeClock();
    const id = randomUUID();
    const rows = new ComparisonRows(database);
    await rows.begin(id, caller, given, [newLane(0, 'a/a', 'req')]);
    await database.query("update comparisons set lease_until = now() - interval '1 minute' where id = $1", [id]);
    const before = await rows.get(caller.accountId, id, allTexts);
    expect(before).toMatchObject({ endedAt: expect.any(Date), lanes: [{ status: 'interrupted' }] });
    await new LaneRows(database, clock).sweep(false);
    expect((await rows.get(caller.accountId, id, allTexts)).endedAt).toEqual(before.endedAt);
  });

  it.each([-3_600_000, 3_600_000])('does not depend on the clock of a process, which is %i ms off', async (skewMs) => {
    const id = randomUUID();
    const clock = new FakeClock(Date.now() + skewMs);
    await new ComparisonRows(database, clock).begin(id, caller, given, [newLane(0, 'a/a', 'req')]);
    /** Of its lease, by the clock of the database. */
    const left = async (): Promise<number> => {
      const [row] = await database.query<{ ms: number }>(
        'select (extract(epoch from lease_until - clock_timestamp()) * 1000)::float8 as ms from comparisons where id = $1',
        [id],
      );
      return row?.ms ?? Number.NaN;
    };
    const begun = await left();
    expect(Math.abs(begun)).toBeLessThan(3_600_000 - LEASE_MS);
    expect(begun).toBeLessThanOrEqual(LEASE_MS + 1);
    await database.query('update comparisons set lease_until = created_at where id = $1', [id]);
    expect(await new ComparisonRows(database, clock).get(caller.accountId, id, allTexts)).toMatchObject({
      lanes: [{ status: 'interrupted' }],
    });
    expect(await new LaneRows(database, clock).save(id, [newLane(0, 'a/a', 'req')], null)).toEqual([]);
    const renewed = await left();
    expect(Math.abs(renewed)).toBeLessThan(3_600_000 - LEASE_MS);
    expect(renewed).toBeLessThanOrEqual(LEASE_MS + 1);
  });

  it('remains as the sweep stored it where the process was only paused, and saves later', async () => {
    const id = randomUUID();
    await new ComparisonRows(database).begin(id, caller, given, [newLane(0, 'a/a', 'req')]);
    const paused = new LaneRows(database);
    await database.query("update comparisons set lease_until = now() - interval '1 minute' where id = $1", [id]);
    await new LaneRows(database).sweep(false);
    const swept = await new ComparisonRows(database).get(caller.accountId, id, allTexts);
    const late: LaneState = { ...newLane(0, 'a/a', 'req'), status: 'finished', output: 'late' };
    expect(await paused.save(id, [late], null)).toBeNull();
    expect(await paused.save(id, [late], new Date())).toBeNull();
    expect(await new ComparisonRows(database).get(caller.accountId, id, allTexts)).toEqual(swept);
    expect(swept).toMatchObject({ endedAt: expect.any(Date), lanes: [{ status: 'interrupted', output: '' }] });
  });
});
