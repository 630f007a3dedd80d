import { expect, test } from 'vitest';
import { openDatabase, type Database, type OpenDatabaseOptions } from '../../../src/database/database.ts';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { verifyLedger } from '../../../src/services/billing/ledger-check.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeOnEachDatabase, describeOnServer } from '../../harness/databases.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const migration = 'Migration20261128213000_key_usage_logs_by_account';
const months = ['2026-01', '2026-02', '2026-03'];

const columns = `event_id, began_at, account_id, api_key_id, capability, model, requested_model, provider, status, http_status,
  streamed, estimated, input_tokens, output_tokens, cached_tokens, reasoning_tokens, cost_nano, price_version, duration_ms, attempts`;
/** As versions before the migration insert rows. */
const insertEarlier = `insert into usage_logs (${columns})
select ${columns} from json_populate_recordset(null::usage_logs, $1::text::json)
on conflict (event_id, began_at) do nothing`;

const keyOf = `select pg_get_constraintdef(oid) as definition from pg_constraint
where contype = 'p' and (conrelid = 'usage_logs'::regclass or conrelid in (select inhrelid from pg_inherits where inhparent = 'usage_logs'::regclass))
group by 1`;

const recordIn = (month: string): UsageRecord => usageRecord({ began_at: `${month}-20T12:00:00.000Z` });

/** A database of the version before the migration, with a partition for each month. */
async function earlier(place: OpenDatabaseOptions): Promise<Database> {
  const database = await openDatabase(place);
  const pending = await database.orm.migrator.getPending();
  const before = pending.map(({ name }) => name).filter((name) => name < migration);
  await database.orm.migrator.up({ to: before.toSorted().at(-1) });
  for (const month of months) await database.query('select ensure_usage_partition($1)', [`${month}-20T00:00:00Z`]);
  return database;
}

async function invalidIndexes(database: Database): Promise<number> {
  return (await database.query('select 1 from pg_index where not indisvalid')).length;
}

async function loggedIds(database: Database): Promise<string[]> {
  const rows = await database.query<{ id: string }>('select event_id as id from usage_logs');
  return rows.map(({ id }) => id).toSorted();
}

describeOnEachDatabase('the key of the usage log', (databases) => {
  test('begins with the account after a migration, during which an earlier version stores each event once', async () => {
    const place = await databases.place('empty');
    const database = await earlier(place);
    const written: UsageRecord[] = [];
    const write = async (records: UsageRecord[]): Promise<void> => {
      // The second as when a batch of the journal is repeated.
      for (let time = 0; time < 2; time++) await database.query(insertEarlier, [rowsJson(records)]);
      written.push(...records);
    };
    await write(months.map(recordIn));
    const migrated = database.migrate();
    let isMigrated = false;
    void migrated.finally(() => (isMigrated = true)).catch(() => undefined);
    while (!isMigrated) await write(months.map(recordIn));
    expect((await migrated).applied).toContain(migration);
    await write(months.map(recordIn));
    // A month that begins while both versions write.
    await database.query("select ensure_usage_partition('2026-04-20T00:00:00Z')");
    await write([recordIn('2026-04')]);

    expect(await loggedIds(database)).toEqual(written.map(({ event_id: id }) => id).toSorted());
    expect(await database.query(keyOf)).toEqual([{ definition: 'PRIMARY KEY (account_id, began_at, event_id)' }]);
    expect(await invalidIndexes(database)).toBe(0);

    // This version repeats what the earlier one stored.
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    const own = recordIn('2026-04');
    await store.store(rowsJson([...written.slice(0, 3), own, own]));
    await store.store(rowsJson([own]));
    await database.query(insertEarlier, [rowsJson([own])]);
    expect(await loggedIds(database)).toHaveLength(written.length + 1);
    expect((await verifyLedger(database)).settledNano).toBe(BigInt(own.cost_nano));
    await database.close();
  });

  test('is migrated where an index of an interrupted build is left', async () => {
    const database = await earlier(await databases.place('empty'));
    await database.query(
      'create unique index usage_logs_2026_02_account_key on usage_logs_2026_02 (event_id, began_at)',
    );
    await database.query(
      "update pg_index set indisvalid = false where indexrelid = 'usage_logs_2026_02_account_key'::regclass",
    );
    await database.migrate();
    expect(await database.query(keyOf)).toEqual([{ definition: 'PRIMARY KEY (account_id, began_at, event_id)' }]);
    expect(await invalidIndexes(database)).toBe(0);
    await database.close();
  });

  test('becomes that of an earlier version again', async () => {
    const database = await earlier(await databases.place('empty'));
    await database.orm.migrator.up({ to: migration });
    await database.orm.migrator.down(migration);
    expect(await database.query(keyOf)).toEqual([{ definition: 'PRIMARY KEY (event_id, began_at)' }]);
    await database.query(insertEarlier, [rowsJson([recordIn('2026-01')])]);
    await database.close();
  });
});

// The embedded database has one process and one connection.
describeOnServer('the key of the usage log', (databases) => {
  test('is migrated once by processes that start together', async () => {
    const place = await databases.place('empty');
    await (await earlier(place)).close();
    const several = await Promise.all([1, 2, 3].map(() => openDatabase(place)));
    const applied = await Promise.all(several.map((database) => database.migrate()));
    expect(applied.flatMap((each) => each.applied).filter((name) => name === migration)).toHaveLength(1);
    await Promise.all(several.map((database) => database.close()));
  });

  test('is migrated after a long reader, behind which nobody waits', async () => {
    const place = await databases.place('empty');
    const database = await earlier(place);
    const waiting = "select 1 from pg_locks where relation = 'usage_logs'::regclass and not granted";
    const migrating = await database.transaction(async (reader) => {
      await reader.query('select count(*) from usage_logs');
      const migrated = database.migrate();
      const state = async (): Promise<number> => (await database.query(waiting)).length;
      await expect.poll(state).toBe(1);
      // The migration gives up its place in the queue before it tries again.
      await expect.poll(state, { timeout: 60_000 }).toBe(0);
      await database.query(insertEarlier, [rowsJson([recordIn('2026-01')])]);
      return { migrated };
    });
    expect((await migrating.migrated).applied).toContain(migration);
    expect(await loggedIds(database)).toHaveLength(1);
    await database.close();
  });

  test('is migrated by the next call after a connection was lost', async () => {
    const database = await earlier(await databases.place('empty'));
    const end = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like '%pg_try_advisory_xact_lock%' and state = 'idle in transaction'`;
    const failed = await database.transaction(async (writer) => {
      // The build of an index waits for it.
      await writer.query('lock table usage_logs_2026_01 in row exclusive mode');
      const migrated = database.migrate().then(
        () => null,
        (error: unknown) => error,
      );
      await expect.poll(async () => (await database.query(end)).length).toBe(1);
      return { migrated };
    });
    expect(await failed.migrated).toBeInstanceOf(Error);
    await database.migrate();
    expect(await database.query(keyOf)).toEqual([{ definition: 'PRIMARY KEY (account_id, began_at, event_id)' }]);
    expect(await invalidIndexes(database)).toBe(0);
    await database.close();
  });
});
