import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test, vi } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { verifyLedger } from '../../../src/services/billing/ledger-check.ts';
import { Account } from '../../../src/database/entities/index.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { UsageReporter } from '../../../src/services/usage/report/usage-report.ts';
import { retentionByPlan, UsageRetention } from '../../../src/services/usage/usage-retention.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeOnEachDatabase, describeOnServer } from '../../harness/databases.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const NOW = new Date('2026-11-10T12:00:00Z');

describeOnEachDatabase('usage retention', (databases) => {
  const [short, long, ever] = [randomUUID(), randomUUID(), randomUUID()];
  const days = new Map<string, number | null>([
    [short, 30],
    [long, 60],
    [ever, null],
  ]);
  const monthly = (account_id: string, from: number): ReturnType<typeof usageRecord>[] =>
    Array.from({ length: 12 - from }, (_, index) =>
      [1, 11, 21].map((day) =>
        usageRecord({
          account_id,
          cost_nano: '3',
          began_at: new Date(Date.UTC(2026, from + index - 1, day, 5)).toISOString(),
        }),
      ),
    ).flat();
  let database: Database;
  let retention: UsageRetention;

  beforeAll(async () => {
    database = await databases.open();
    retention = new UsageRetention(database, (accountId) => days.get(accountId) ?? null);
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    // From July on; who keeps everything is there from September on.
    const rows = [...monthly(short, 7), ...monthly(long, 7), ...monthly(ever, 9)];
    await store.store(rowsJson(rows));
  });

  const left = async (accountId: string): Promise<string[]> => {
    const rows = await database.query<{ day: string }>(
      "select to_char(began_at at time zone 'UTC', 'MM-DD') as day from usage_logs where account_id = $1 order by began_at",
      [accountId],
    );
    return rows.map(({ day }) => day);
  };

  test('drops months that no account needs, and deletes rows of single accounts', async () => {
    const removed = await retention.removeOld(NOW);
    expect(removed).toEqual({ months: ['usage_logs_2026_07', 'usage_logs_2026_08'], rows: 3 + 1 + 1 });
    expect(await left(short)).toEqual(['10-11', '10-21', '11-01', '11-11', '11-21']);
    expect(await left(long)).toEqual(['09-11', '09-21', '10-01', '10-11', '10-21', '11-01', '11-11', '11-21']);
    expect(await left(ever)).toHaveLength(9);
  });

  test('leaves roll-ups, the ledger and its check unchanged', async () => {
    const query = {
      from: new Date('2026-07-01'),
      to: new Date('2026-12-01'),
      interval: null,
      groupBy: [],
      latency: false,
      limit: 1,
    };
    const { total } = await new UsageReporter(database).report(short, query);
    expect(total).toMatchObject({ requests: 15, costNano: 45n });
    expect(await verifyLedger(database)).toMatchObject({ settledNano: 117n, faults: [] });
  });

  test('finds nothing on a second run, and removes late rows again', async () => {
    expect(await retention.removeOld(NOW)).toEqual({ months: [], rows: 0 });
    const late = usageRecord({ account_id: short, cost_nano: '5', began_at: '2026-07-09T00:00:00.000Z' });
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    await store.store(rowsJson([late]));
    expect((await verifyLedger(database)).faults).toEqual([]);
    expect(await retention.removeOld(NOW)).toEqual({ months: ['usage_logs_2026_07'], rows: 0 });
    expect((await verifyLedger(database)).faults).toEqual([]);
  });

  test('marks no account that had no rows', async () => {
    const young = randomUUID();
    // Kept from the first of November on.
    days.set(young, 9);
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    await store.store(rowsJson(monthly(young, 11)));
    expect(await retention.removeOld(NOW)).toEqual({ months: [], rows: 0 });
    expect(await database.query('select kept_from from usage_retention where account_id = $1', [young])).toEqual([]);
    expect(await left(young)).toHaveLength(3);
  });

  test('removes only what is archived, where it has to be', async () => {
    const needing = new UsageRetention(database, () => 0, true);
    const account = randomUUID();
    const [before, after] = ['2025-01-05T00:00:00.000Z', '2025-01-06T00:00:00.000Z'].map((began_at) =>
      usageRecord({ account_id: account, cost_nano: '0', began_at }),
    );
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    await store.store(rowsJson([before, after]));
    expect(await needing.removeOld(NOW)).toEqual({ months: [], rows: 0 });
    const marks = 'select kept_from from usage_retention where account_id = $1';
    expect(await database.query(marks, [account])).toEqual([]);
    await database.query("update usage_logs set settled_at = '2025-02-02T00:00:00Z' where event_id = $1", [
      after?.event_id,
    ]);
    await database.query("update usage_logs set settled_at = '2025-02-01T00:00:00Z' where event_id = $1", [
      before?.event_id,
    ]);
    const archived = (bound: string | null) =>
      database.query(
        "insert into usage_archives (month, location, stored_before) values ('2025-01-01T00:00:00Z', 'here', $1) on conflict (month) do update set stored_before = excluded.stored_before",
        [bound],
      );
    await archived(null);
    expect(await needing.removeOld(NOW)).toEqual({ months: [], rows: 0 });
    await archived('2025-02-02T00:00:00Z');
    expect(await needing.removeOld(NOW)).toEqual({ months: [], rows: 1 });
    expect(await left(account)).toEqual(['01-06']);
    await archived('2025-02-03T00:00:00Z');
    expect(await needing.removeOld(NOW)).toEqual({ months: ['usage_logs_2025_01'], rows: 0 });
  });

  test('drops no month in which a row that must be retained was stored since the check', async () => {
    const [old, late] = [randomUUID(), randomUUID()];
    days.set(old, 30).set(late, null);
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    const rowOf = (account_id: string): Buffer =>
      rowsJson([usageRecord({ account_id, cost_nano: '3', began_at: '2025-03-05T00:00:00.000Z' })]);
    await store.store(rowOf(old));
    const transaction = database.transaction.bind(database);
    const dropping = vi.spyOn(database, 'transaction').mockImplementationOnce(async (work) => {
      await store.store(rowOf(late));
      return transaction(work);
    });
    expect(await retention.removeOld(NOW)).toEqual({ months: [], rows: 0 });
    expect(dropping).toHaveBeenCalledOnce();
    dropping.mockRestore();
    expect([await left(old), await left(late)]).toEqual([['03-05'], ['03-05']]);
    // The next run considers the account.
    expect(await retention.removeOld(NOW)).toEqual({ months: [], rows: 1 });
    expect([await left(old), await left(late)]).toEqual([[], ['03-05']]);
  });

  test('stops when it is aborted', async () => {
    const stopped = new UsageRetention(database, () => 0);
    expect(await stopped.removeOld(NOW, AbortSignal.abort())).toEqual({ months: [], rows: 0 });
    expect(await left(ever)).toHaveLength(9);
  });

  test('follows the plan of the account', async () => {
    const plans = readPlans({ plans: {}, default_plan: 'free' });
    const days = retentionByPlan(database, () => plans);
    const em = database.em();
    const [small, large] = ['free', 'enterprise'].map((plan) => em.create(Account, { name: plan, plan }));
    if (small && large) await em.persist([small, large]).flush();
    expect([await days(small?.id ?? ''), await days(large?.id ?? ''), await days(randomUUID())]).toEqual([
      plans.of('free').retentionDays,
      plans.of('enterprise').retentionDays,
      plans.defaultPlan.retentionDays,
    ]);
    expect(plans.of('free').retentionDays).toBeGreaterThan(0);
  });
});

describeOnServer('usage retention with several connections', (databases) => {
  test('drops a month while a late row of it waits, and stores the row afterwards', async () => {
    const database = await databases.open();
    const account = randomUUID();
    const rowOf = (): Buffer =>
      rowsJson([usageRecord({ account_id: account, cost_nano: '3', began_at: '2025-04-05T00:00:00.000Z' })]);
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    await store.store(rowOf());
    const isWaiting = async (): Promise<boolean> => {
      const waiting = await database.query(
        "select 1 from pg_locks where not granted and database = (select oid from pg_database where datname = current_database()) and mode = 'RowExclusiveLock'",
      );
      return waiting.length > 0;
    };
    let late: Promise<void> = Promise.resolve();
    const transaction = database.transaction.bind(database);
    const dropping = vi.spyOn(database, 'transaction').mockImplementationOnce((work) =>
      transaction(async (client) => {
        const query = client.query.bind(client);
        const locking = vi.spyOn(client, 'query').mockImplementation(async (...given: unknown[]) => {
          const result: unknown = await Reflect.apply(query, client, given);
          if (!String(given[0]).startsWith('lock table')) return result;
          late = store.store(rowOf());
          await expect.poll(isWaiting).toBe(true);
          return result;
        });
        return work(client).finally(() => locking.mockRestore());
      }),
    );
    const retention = new UsageRetention(database, () => 30);
    expect(await retention.removeOld(NOW)).toEqual({ months: ['usage_logs_2025_04'], rows: 0 });
    expect(dropping).toHaveBeenCalledOnce();
    dropping.mockRestore();
    await late;
    expect(await database.query('select 1 from usage_logs where account_id = $1', [account])).toHaveLength(1);
    expect(await retention.removeOld(NOW)).toEqual({ months: ['usage_logs_2025_04'], rows: 0 });
    expect((await verifyLedger(database)).faults).toEqual([]);
  });
});
