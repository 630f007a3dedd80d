import type { SqlQueries } from '../../../database/sql.ts';

/** The time zone of an account's days. */
export async function accountTimeZone(database: SqlQueries, accountId: string): Promise<string> {
  const [account] = await database.query<{ time_zone: string }>('select time_zone from accounts where id = $1', [
    accountId,
  ]);
  return account?.time_zone ?? 'UTC';
}
