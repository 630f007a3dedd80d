import type { SqlQueries } from '../../../database/sql.ts';
import type { UsageMonth } from './usage-months.ts';
import { selectedColumns, type ArchiveRow } from './archive-columns.ts';

/** A row's place in the order of an archive. */
export interface Position {
  readonly accountId: string;
  readonly beganAt: Date;
  readonly eventId: string;
}

/** The rows of one run: of a month, and stored from one time until another. Null: from the beginning. */
export interface ArchiveRange {
  readonly month: UsageMonth;
  readonly storedFrom: Date | null;
  readonly storedBefore: Date;
}

export interface RowSums {
  readonly rows: number;
  readonly costNano: bigint;
}

const nil = '00000000-0000-0000-0000-000000000000';
const PAGE_ROWS = 4_000;

/** Parameters 1 to 4 are the range, 5 to 7 the position. */
const rangeSql = `began_at >= $1 and began_at < $2 and settled_at >= coalesce($3::timestamptz, '-infinity') and settled_at < $4
  and (account_id, began_at, event_id) > ($5::uuid, $6::timestamptz, $7::uuid)`;

// Qualified: a selected column of the same name would be sorted by, as text.
const pageSql = `select ${selectedColumns} from usage_logs where ${rangeSql}
order by usage_logs.account_id, usage_logs.began_at, usage_logs.event_id limit ${PAGE_ROWS}`;

const sumSql = `select count(*)::text as rows, coalesce(sum(cost_nano), 0)::text as cost_nano from usage_logs
where ${rangeSql} and (account_id, began_at, event_id) <= ($8::uuid, $9::timestamptz, $10::uuid)`;

const existsSql = `select exists (select 1 from usage_logs where began_at >= $1 and began_at < $2 and settled_at >= $3 and settled_at < $4) as found`;

const countSql = `select count(*)::int as rows from (
  select 1 from usage_logs where began_at >= $1 and began_at < $2 and settled_at >= coalesce($3::timestamptz, '-infinity') limit $4
) as counted`;

export interface ArchivePage {
  readonly rows: readonly ArchiveRow[];
  /** Of the last row. */
  readonly last: Position;
}

/** The next rows, by index: an archive of any size is read in statements of bounded time. Null after the last one. */
export async function nextPage(
  database: SqlQueries,
  range: ArchiveRange,
  after: Position | null,
): Promise<ArchivePage | null> {
  const rows = await database.query<ArchiveRow>(pageSql, [...valuesOf(range), ...valuesAt(after)]);
  const last = rows.at(-1);
  return last === undefined ? null : { rows, last: positionOf(last) };
}

/** Counted by the database, for comparison with what was written: the rows after one position up to another. */
export async function sumsBetween(
  database: SqlQueries,
  range: ArchiveRange,
  after: Position | null,
  last: Position,
): Promise<RowSums> {
  const values = [...valuesOf(range), ...valuesAt(after), ...valuesAt(last)];
  const [sums] = await database.query<{ rows: string; cost_nano: string }>(sumSql, values);
  return { rows: Number(sums?.rows ?? 0), costNano: BigInt(sums?.cost_nano ?? 0) };
}

/** Whether rows of the month were stored in that time. */
export async function hasRowsStored(database: SqlQueries, month: UsageMonth, from: Date, to: Date): Promise<boolean> {
  const values = [new Date(month.from), new Date(month.to), from, to];
  const [row] = await database.query<{ found: boolean }>(existsSql, values);
  return row?.found === true;
}

/** Counts the rows of a month that were stored from that time on, but no more than `limit`. */
export async function countRows(
  database: SqlQueries,
  month: UsageMonth,
  storedFrom: Date | null,
  limit: number,
): Promise<number> {
  const values = [new Date(month.from), new Date(month.to), storedFrom, limit];
  const [row] = await database.query<{ rows: number }>(countSql, values);
  return row?.rows ?? 0;
}

function positionOf(row: ArchiveRow): Position {
  const beganAt = new Date(Number(row.began_at) / 1_000);
  return { accountId: String(row.account_id), beganAt, eventId: String(row.event_id) };
}

function valuesOf({ month, storedFrom, storedBefore }: ArchiveRange): unknown[] {
  return [new Date(month.from), new Date(month.to), storedFrom, storedBefore];
}

function valuesAt(position: Position | null): unknown[] {
  return position === null ? [nil, new Date(0), nil] : [position.accountId, position.beganAt, position.eventId];
}
