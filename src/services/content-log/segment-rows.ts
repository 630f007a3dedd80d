import { isConnectionFailure, isDataError } from '../../database/connection-failure.ts';
import { SluiceError } from '../../errors/index.ts';
import type { SqlQueries } from '../../database/sql.ts';
import type { StoredLevel } from '../../gateway/content/content-log.ts';
import { WRAPPED_KEY_BYTES } from './content-seal.ts';

/**
 * Arrays, because JSON of as many rows takes several times the time to write and to read. Content of an account that was erased
 * meanwhile is not stored: its segment has no rows, and is removed.
 */
const insert = `
insert into logged_contents (event_id, account_id, state, level, segment_id, position, length, redactions, wrapped_key)
select r.event_id, r.account_id, 'stored', r.level, r.segment_id, r.position, r.length,
  coalesce($7::jsonb -> r.place::text, '{}'), substring($8::bytea from (r.place::int - 1) * ${WRAPPED_KEY_BYTES} + 1 for ${WRAPPED_KEY_BYTES})
from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::int[], $6::int[])
  with ordinality as r(event_id, account_id, segment_id, level, position, length, place)
join accounts on accounts.id = r.account_id and accounts.erased_at is null
on conflict (event_id) do nothing`;

/** A row of `logged_contents`. */
export interface ContentRow {
  readonly eventId: string;
  readonly level: StoredLevel;
  readonly redactions: Readonly<Record<string, number>>;
}

/** Rows of an account: consecutive contents of one segment. */
export interface SegmentRows {
  readonly accountId: string;
  readonly segmentId: string;
  readonly rows: readonly ContentRow[];
  /** Where the content of the first row starts, in bytes. */
  readonly start: number;
  /** Of each content, in bytes. */
  readonly lengths: readonly number[];
  /** Of each row, WRAPPED_KEY_BYTES. */
  readonly wrappedKeys: Buffer;
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
  segments: readonly SegmentRows[],
  { failed, rejected }: UnstoredRows,
): Promise<void> {
  const accounts = [...Map.groupBy(segments, ({ accountId }) => accountId)];
  if (accounts.length > 1 && (await attempt(database, segments)) === null) return;
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
  segments: readonly SegmentRows[],
  rejected: Map<string, unknown>,
): Promise<Failure | null> {
  const failure = await attempt(database, segments);
  if (failure === null || !isDataError(failure.error)) return failure;
  const [first] = segments;
  const [row] = first?.rows ?? [];
  if (segments.length === 1 && first?.rows.length === 1 && row !== undefined) {
    rejected.set(row.eventId, failure.error);
    return null;
  }
  let last: Failure | null = null;
  for (const half of halvesOf(segments)) last = (await insertHalves(database, half, rejected)) ?? last;
  return last;
}

/** Of one segment, its rows. */
function halvesOf(segments: readonly SegmentRows[]): SegmentRows[][] {
  const [only] = segments;
  if (segments.length > 1 || only === undefined) {
    const middle = segments.length >> 1;
    return [segments.slice(0, middle), segments.slice(middle)];
  }
  const middle = only.rows.length >> 1;
  const part = (from: number, to: number): SegmentRows => ({
    ...only,
    rows: only.rows.slice(from, to),
    start: only.lengths.slice(0, from).reduce((end, length) => end + length, only.start),
    lengths: only.lengths.slice(from, to),
    wrappedKeys: only.wrappedKeys.subarray(from * WRAPPED_KEY_BYTES, to * WRAPPED_KEY_BYTES),
  });
  return [[part(0, middle)], [part(middle, only.rows.length)]];
}

/** @returns null where it succeeded @throws in an outage */
async function attempt(database: SqlQueries, segments: readonly SegmentRows[]): Promise<Failure | null> {
  try {
    await database.query(insert, parametersOf(segments));
    return null;
  } catch (error) {
    if (isOutage(error)) throw error;
    return { error };
  }
}

function parametersOf(segments: readonly SegmentRows[]): readonly unknown[] {
  let [accountIds, segmentIds] = ['', ''];
  const [eventIds, levels, positions, lengths]: [string[], string[], number[], number[]] = [[], [], [], []];
  const redactions: Record<number, object> = {};
  for (const { accountId, segmentId, rows, start, lengths: ofRows } of segments) {
    accountIds += `${accountId},`.repeat(rows.length);
    segmentIds += `${segmentId},`.repeat(rows.length);
    let position = start;
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] as ContentRow;
      const length = ofRows[at] ?? 0;
      eventIds.push(row.eventId);
      levels.push(row.level);
      positions.push(position);
      lengths.push(length);
      position += length;
      if (!isEmpty(row.redactions)) redactions[eventIds.length] = row.redactions;
    }
  }
  const arrays = [
    eventIds.join(),
    accountIds.slice(0, -1),
    segmentIds.slice(0, -1),
    levels.join(),
    positions.join(),
    lengths.join(),
  ].map((values) => `{${values}}`);
  const keys = segments.map(({ wrappedKeys }) => wrappedKeys);
  const [only] = keys;
  return [...arrays, JSON.stringify(redactions), keys.length === 1 ? only : Buffer.concat(keys)];
}

/** Without a list of names for each of thousands. */
function isEmpty(object: object): boolean {
  for (const name in object) if (Object.hasOwn(object, name)) return false;
  return true;
}

const outages: ReadonlySet<string> = new Set(['storage_unavailable', 'database_unavailable']);

/** Whether the database or the bucket is unavailable, for all content. A file that cannot be written may have the same code. */
export function isOutage(error: unknown): boolean {
  if (error instanceof SluiceError && outages.has(error.code)) return true;
  const isOfFile = error instanceof Error && 'path' in error;
  return !isOfFile && isConnectionFailure(error);
}
