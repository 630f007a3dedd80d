import type { MikroORM } from '@mikro-orm/postgresql';
import { databaseErrorCode } from './connection-failure.ts';
import { recordReplacedMigrations } from './replaced-migrations.ts';

/** An arbitrary advisory lock id: the bytes of "sluice". */
const migrationLock = 0x736c75696365;
/** Two processes created the same table concurrently: unique_violation, duplicate_table, duplicate_object. */
const createdMeanwhile = new Set(['23505', '42P07', '42710']);

/**
 * Applies pending migrations in one transaction. Processes that migrate the same database concurrently wait for each other;
 * each migration runs once.
 * @throws DatabaseUnusableError if the database is of a version that cannot be upgraded
 */
export async function migrate(orm: MikroORM): Promise<{ applied: string[] }> {
  await createMigrationTable(orm);
  const applied = await orm.em.fork().transactional(async (em) => {
    // The lock and the timeout are local to the transaction: session-wide ones would be shared on the embedded database.
    await em.execute(`select set_config('statement_timeout', '0', true), pg_advisory_xact_lock(${migrationLock})`);
    await recordReplacedMigrations(em);
    return orm.migrator.up({ transaction: em.getTransactionContext() });
  });
  return { applied: applied.map((migration) => migration.name) };
}

async function createMigrationTable(orm: MikroORM): Promise<void> {
  try {
    await orm.migrator.getExecuted();
  } catch (error) {
    if (!createdMeanwhile.has(databaseErrorCode(error) ?? '')) throw error;
    await orm.migrator.getExecuted();
  }
}
