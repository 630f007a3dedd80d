import type { SqlQueries } from '../../database/sql.ts';
import { isDataError } from '../../database/connection-failure.ts';

/** Every record starts like this. */
const EVENT_START = '{"event_id":"';
const accountMember = /"account_id":"([0-9a-f-]{36})"/g;

const count = `
select count(*)::integer as "all", count(stored.event_id)::integer as stored
from json_to_recordset($1::text::json) as own(event_id uuid, began_at timestamptz, account_id uuid, of_key integer)
left join json_to_recordset($2::text::json) as of_key(common integer, account_id uuid) on of_key.common = own.of_key
left join usage_logs as stored on stored.account_id = coalesce(own.account_id, of_key.account_id)
  and stored.began_at = own.began_at and stored.event_id = own.event_id`;

/** How many records there are, and how many of them are in the usage log. @param commons what they refer to */
export async function countStored(
  database: SqlQueries,
  rows: Buffer,
  commons: string,
): Promise<{ readonly all: number; readonly stored: number }> {
  try {
    const [found] = await database.query<{ all: number; stored: number }>(count, [rows, commons]);
    return { all: Number(found?.all ?? 0), stored: Number(found?.stored ?? 0) };
  } catch (error) {
    if (!isDataError(error)) throw error;
    // A record is corrupt on disk; the store skips it.
    return { all: rows.toString().split(EVENT_START).length - 1, stored: 0 };
  }
}

/** The accounts of records. @param commons what the records refer to */
export function accountsIn(rows: Buffer, commons: string): Set<string> {
  const ids = new Set<string>();
  for (const text of [rows.toString(), commons]) for (const [, id] of text.matchAll(accountMember)) if (id) ids.add(id);
  return ids;
}
