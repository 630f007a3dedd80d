import { cp } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openDatabase, type Database, type OpenDatabaseOptions } from '../../../src/database/database.ts';
import { verifyLedger } from '../../../src/services/billing/ledger-check.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeOnEachDatabase } from '../../harness/databases.ts';
import { applyReplacedMigrations, replacedMigrations, storeByEarlierVersion } from '../../harness/earlier-database.ts';
import { serverPostgres } from '../../harness/postgres.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';
import { describeSchema, dumpSchema, rowsOf, runPostgresProgram } from './describe-database.ts';

const initial = 'Migration20261125235900_initial';
const aMonth = "select ensure_usage_partition('2026-01-20T12:00:00Z')";

describeOnEachDatabase('a database of a version before the initial migration', (databases) => {
  test('becomes the same as a new one, without a statement of that migration', async () => {
    const place = await databases.place('empty');
    const earlier = await inPlace(place, async (database) => {
      await applyReplacedMigrations(database);
      await database.query(aMonth);
      const { applied } = await database.migrate();
      expect(applied).not.toContain(initial);
      expect(await database.migrate()).toEqual({ applied: [] });
      return contentOf(database, place);
    });
    const other = await databases.place('migrated');
    const made = await inPlace(other, async (database) => {
      await database.query(aMonth);
      return contentOf(database, other);
    });
    expect(earlier).toEqual(made);
    // What the comparison has to see.
    const text = made.schema.join('\n');
    for (const part of ['usage_logs_2026_01', 'FUNCTION public.refuse_ledger_change', 'append_only', 'fillfactor=80'])
      expect(text.includes(part), part).toBe(true);
  });

  test('keeps its usage, partitions, roll-ups and ledger, and adds to them', async () => {
    await inPlace(await databases.place('empty'), async (database) => {
      await applyReplacedMigrations(database);
      const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
      const record = usageRecord();
      await storeByEarlierVersion(database, rowsJson([record]));
      const before = await rowsOf(database);
      await database.migrate();
      expect(await rowsOf(database)).toMatchObject(before);
      expect(await executed(database)).toEqual(
        expect.arrayContaining([...replacedMigrations.map(({ name }) => name), initial]),
      );

      await store.store(rowsJson([usageRecord({ account_id: record.account_id, began_at: record.began_at })]));
      expect(await verifyLedger(database)).toMatchObject({
        accounts: 1,
        postings: 2,
        settledNano: BigInt(record.cost_nano) * 2n,
        faults: [],
      });
    });
  });

  // The programs of a server that is given have to be of its version.
  test.skipIf(databases.kind === 'server' && serverPostgres() !== 'installed')(
    'is recognised where a backup of it was restored',
    async () => {
      const [place, restored] = [await databases.place('empty'), await databases.place('empty')];
      await inPlace(place, async (database) => {
        await applyReplacedMigrations(database);
        await storeByEarlierVersion(database, rowsJson([usageRecord()]));
      });
      await restore(place, restored);
      await inPlace(restored, async (database) => {
        expect((await database.migrate()).applied).not.toContain(initial);
        expect(await verifyLedger(database)).toMatchObject({ postings: 1, faults: [] });
      });
    },
  );

  test.each([replacedMigrations.length - 1, 1])(
    'is refused as it is while it has only the first %i of the replaced migrations',
    async (count) => {
      await inPlace(await databases.place('empty'), async (database) => {
        await applyReplacedMigrations(database, replacedMigrations.slice(0, count));
        const before = [await executed(database), await describeSchema(database)];
        await expect(database.migrate()).rejects.toThrow(
          `lacks the migration \`${String(replacedMigrations[count]?.name)}\``,
        );
        expect([await executed(database), await describeSchema(database)]).toEqual(before);

        // As the last version that had them does.
        await applyReplacedMigrations(database, replacedMigrations.slice(count));
        expect((await database.migrate()).applied).not.toContain(initial);
      });
    },
  );
});

async function inPlace<T>(place: OpenDatabaseOptions, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(place);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function contentOf(database: Database, { url }: OpenDatabaseOptions) {
  const dump = url === undefined ? undefined : dumpSchema(url);
  return { schema: await describeSchema(database), rows: await rowsOf(database), dump };
}

/** As the documentation says: a copy of the data folder, or a dump of the database. */
async function restore(from: OpenDatabaseOptions, to: OpenDatabaseOptions): Promise<void> {
  if (from.url === undefined || to.url === undefined) {
    await cp(from.dataDir, to.dataDir, { recursive: true });
    return;
  }
  const dump = runPostgresProgram('pg_dump', ['--format=custom', from.url]);
  if (dump !== null) runPostgresProgram('pg_restore', ['--exit-on-error', `--dbname=${to.url}`], dump);
}

async function executed(database: Database): Promise<string[]> {
  const rows = await database.query<{ name: string }>('select name from mikro_orm_migrations order by id');
  return rows.map(({ name }) => name);
}
