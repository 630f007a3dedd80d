import type { MikroORM } from '@mikro-orm/postgresql';
import { delay, systemClock } from '../calendar/clock.ts';
import { databaseErrorCode } from './connection-failure.ts';
import { recordReplacedMigrations } from './replaced-migrations.ts';

/** An arbitrary advisory lock id: the bytes of "sluice". */
const migrationLock = 0x736c75696365;
/** Two processes created the same table concurrently: unique_violation, duplicate_table, duplicate_object. */
const createdMeanwhile = new Set(['23505', '42P07', '42710']);

/** A migration did not get a lock in the time that it sets, or met a writer that it waits for: lock_not_available, deadlock_detected. */
const isLockedByOthers = new Set(['55P03', '40P01']);
const MAX_TRIALS = 60;
const RETRY_MS = 1_000;

/**
 * Applies pending migrations in one transaction. It is repeated where a table that others use cannot be locked yet. Processes that migrate the same database concurrently wait for each other;
 * each migration runs once.
 * @throws DatabaseUnusableError if the database is of a version that cannot be upgraded
 */
export async function migrate(orm: MikroORM): Promise<{ applied: string[] }> {
  await createMigrationTable(orm);
  for (let trial = 1; ; trial++)
    try {
      return await applyPending(orm);
    } catch (error) {
      if (trial === MAX_TRIALS || !isLockedByOthers.has(databaseErrorCode(error) ?? '')) throw error;
      await delay(systemClock, RETRY_MS);
    }
}

async function applyPending(orm: MikroORM): Promise<{ applied: string[] }> {
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
