import { isConnectionFailure, isDataError } from '../../database/connection-failure.ts';
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

/** What was not stored. */
interface UnstoredRows {
  /** Why, by account. */
  readonly failed: Map<string, unknown>;
  /** Rows whose data the database refuses, and why: by event. */
  readonly rejected: Map<string, unknown>;
}

/**
 * Stores rows in one statement; where that fails, in one for each account, and where their data is refused, in one for each half,
 * until single rows are refused.
 * @param unstored receives what was not stored @throws in an outage
 */
export async function insertRows(
  database: SqlQueries,
  rows: readonly ContentRow[],
  { failed, rejected }: UnstoredRows,
): Promise<void> {
  const accounts = [...Map.groupBy(rows, ({ account_id }) => account_id)];
  if (accounts.length > 1 && (await attempt(database, rows)) === null) return;
  for (const [accountId, own] of accounts) {
    const failure = await insertHalves(database, own, rejected);
    if (failure !== null) failed.set(accountId, failure.error);
  }
}

interface Failure {
  readonly error: unknown;
}

/** @returns why rows were not stored that may be stored later; null where there are none @throws in an outage */
async function insertHalves(
  database: SqlQueries,
  rows: readonly ContentRow[],
  rejected: Map<string, unknown>,
): Promise<Failure | null> {
  const failure = await attempt(database, rows);
  if (failure === null || !isDataError(failure.error)) return failure;
  const [first] = rows;
  if (rows.length === 1 && first !== undefined) {
    rejected.set(first.event_id, failure.error);
    return null;
  }
  const middle = rows.length >> 1;
  const halves = [rows.slice(0, middle), rows.slice(middle)];
  let last: Failure | null = null;
  for (const half of halves) last = (await insertHalves(database, half, rejected)) ?? last;
  return last;
}

/** @returns null where it succeeded @throws in an outage */
async function attempt(database: SqlQueries, rows: readonly ContentRow[]): Promise<Failure | null> {
  try {
    await database.query(insert, [JSON.stringify(rows)]);
    return null;
  } catch (error) {
    if (isOutage(error)) throw error;
    return { error };
  }
}

/** Whether the database is unavailable, for all content. A file that cannot be written may have the same code. */
export function isOutage(error: unknown): boolean {
  const isOfFile = error instanceof Error && 'path' in error;
  return !isOfFile && isConnectionFailure(error);
}
