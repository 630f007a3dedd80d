import { isConnectionFailure } from '../../database/connection-failure.ts';
import type { SqlQueries } from '../../database/sql.ts';
import type { StoredLevel } from '../../gateway/content/content-log.ts';
import { jsonColumns } from '../unstored-rows/json-columns.ts';

const columns = {
  event_id: 'uuid',
  account_id: 'uuid',
  state: 'text',
  level: 'text',
  segment_id: 'uuid',
  position: 'int',
  length: 'int',
  redactions: 'jsonb',
};
const { names, declared } = jsonColumns(columns);
const selected = Object.keys(columns)
  .map((name) => `r.${name}`)
  .join();

/** Content of an account that was erased meanwhile is not stored: its segment has no rows, and is removed. */
const insert = `
insert into logged_contents (${names}, wrapped_key)
select ${selected}, decode(r.wrapped_key, 'base64')
from json_to_recordset($1) as r(${declared}, wrapped_key text)
join accounts on accounts.id = r.account_id and accounts.erased_at is null
on conflict (event_id) do nothing`;

/** A row of `logged_contents`. */
export interface ContentRow {
  readonly event_id: string;
  readonly account_id: string;
  readonly state: 'stored';
  readonly level: StoredLevel;
  readonly segment_id: string;
  readonly position: number;
  readonly length: number;
  readonly redactions: Readonly<Record<string, number>>;
  /** Base64. */
  readonly wrapped_key: string;
}

/**
 * Stores rows in one statement; where that fails, in one for each account.
 * @param failed receives why that failed, by account @throws in an outage
 */
export async function insertRows(
  database: SqlQueries,
  rows: readonly ContentRow[],
  failed: Map<string, unknown>,
): Promise<void> {
  const attempt = async (accountId: string, some: readonly ContentRow[]): Promise<void> => {
    try {
      await database.query(insert, [JSON.stringify(some)]);
    } catch (error) {
      if (isOutage(error)) throw error;
      failed.set(accountId, error);
    }
  };
  const accounts = [...Map.groupBy(rows, ({ account_id }) => account_id)];
  if (accounts.length > 1) {
    try {
      await database.query(insert, [JSON.stringify(rows)]);
      return;
    } catch (error) {
      if (isOutage(error)) throw error;
    }
  }
  for (const [accountId, own] of accounts) await attempt(accountId, own);
}

/** Whether the database is gone, for all content. A file that cannot be written may have the same code. */
export function isOutage(error: unknown): boolean {
  const isOfFile = error instanceof Error && 'path' in error;
  return !isOfFile && isConnectionFailure(error);
}
