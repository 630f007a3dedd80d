import type { Database } from '../../src/database/database.ts';

/** Ends the delays of failed jobs, which are seconds and double each time. */
export async function makeRetriesDue(database: Database): Promise<void> {
  await database.query("update pgboss.job set start_after = now() where state = 'retry'");
}
