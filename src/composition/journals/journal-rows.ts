import type { SqlQueries } from '../../database/sql.ts';
import { isDataError } from '../../database/connection-failure.ts';

/** Every record starts like this. */
const EVENT_START = '{"event_id":"';
const accountMember = /"account_id":"([0-9a-f-]{36})"/g;

const betweenRows = /,(?=\{"event_id":")/;

const examine = `
select count(*)::integer as "all", count(stored.event_id)::integer as stored,
  coalesce(json_agg(own.event_id) filter (where stored.event_id is null and own.began_at < retention.kept_from), '[]') as expired
from json_to_recordset($1::text::json) as own(event_id uuid, began_at timestamptz, account_id uuid, of_key integer)
left join json_to_recordset($2::text::json) as of_key(common integer, account_id uuid) on of_key.common = own.of_key
left join usage_logs as stored on stored.account_id = coalesce(own.account_id, of_key.account_id)
  and stored.began_at = own.began_at and stored.event_id = own.event_id
left join usage_retention as retention on retention.account_id = coalesce(own.account_id, of_key.account_id)`;

export interface ExaminedRows {
  readonly all: number;
  /** Those in the usage log. */
  readonly stored: number;
  /**
   * The events that are not in the usage log, from a time of which rows of their account were removed: they may have been stored, and
   * counted, before.
   */
  readonly expired: readonly string[];
}

/** What the database knows of records. @param commons what they refer to */
export async function examineRows(database: SqlQueries, rows: Buffer, commons: string): Promise<ExaminedRows> {
  try {
    const [found] = await database.query<ExaminedRows>(examine, [rows, commons]);
    return { all: Number(found?.all ?? 0), stored: Number(found?.stored ?? 0), expired: found?.expired ?? [] };
  } catch (error) {
    if (!isDataError(error)) throw error;
    // A record is corrupt on disk; the store skips it.
    const each = rows.toString().slice(1, -1).split(betweenRows);
    if (each.length <= 1) return { all: rows.toString().split(EVENT_START).length - 1, stored: 0, expired: [] };
    const sum = { all: 0, stored: 0, expired: [] as string[] };
    for (const row of each) {
      const { all, stored, expired } = await examineRows(database, Buffer.from(`[${row}]`), commons);
      sum.all += all;
      sum.stored += stored;
      sum.expired.push(...expired);
    }
    return sum;
  }
}

/** Splits records, of which none is changed, by their events. */
export function splitRows(
  rows: Buffer,
  events: readonly string[],
): { readonly chosen: string[]; readonly others: string[] } {
  const starts = events.map((id) => `${EVENT_START}${id}"`);
  const chosen: string[] = [];
  const others: string[] = [];
  for (const row of rows.toString().slice(1, -1).split(betweenRows))
    (starts.includes(row.slice(0, starts[0]?.length)) ? chosen : others).push(row);
  return { chosen, others };
}

/** The accounts of records. @param commons what the records refer to */
export function accountsIn(rows: Buffer, commons: string): Set<string> {
  const ids = new Set<string>();
  for (const text of [rows.toString(), commons]) for (const [, id] of text.matchAll(accountMember)) if (id) ids.add(id);
  return ids;
}
