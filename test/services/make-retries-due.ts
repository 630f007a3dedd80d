import type { Database } from '../../src/database/database.ts';

/** Ends the pauses before jobs that failed are tried again: they are seconds, and double each time. */
export async function makeRetriesDue(database: Database): Promise<void> {
  await database.query("update pgboss.job set start_after = now() where state = 'retry'");
}
