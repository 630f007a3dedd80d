import type { SqlQueries } from '../../database/sql.ts';
import { beganAt } from '../unstored-rows/retention.ts';
import type { RowCondition } from '../row-condition.ts';
import {
  CLOCK_SLACK_MS,
  eventsIn,
  firstEventAt,
  indexedCondition,
  lookedUpCondition,
  MAX_BODY_MS,
  scannedCondition,
  shareWithWords,
  type SearchRange,
  type TextSearch,
} from './text-conditions.ts';

/** Records of the first window, all of which are read. */
const MAX_SCANNED = 1_000;
const MIN_WINDOW_MS = 1_000;
/** How much longer each window is than the one before, at most. */
const GROWTH = 4;
/** Of the length that is expected to suffice. */
const MARGIN = 1.25;
/** How many matches the index finds in the time in which one request is looked up, at least: each is read from another place. */
const MATCHES_PER_LOOKUP = 4;

export interface SearchWish {
  /** The newest first. */
  readonly descends: boolean;
  /** Whether the requests have to meet further conditions. */
  readonly isNarrowed: boolean;
  /** How many rows are read, and how many have been read so far; null to read all. */
  readonly wanted: { readonly limit: number; found(): number } | null;
}

const extent = `
select (select event_id from logged_texts where account_id = $1 order by event_id limit 1) as first,
  (select event_id from logged_texts where account_id = $1 order by event_id desc limit 1) as last`;
const beyond = {
  newest: `
select event_id from logged_texts where account_id = $1 and event_id < $2
order by event_id desc offset ${MAX_SCANNED} limit 1`,
  oldest: `
select event_id from logged_texts where account_id = $1 and event_id >= $2
order by event_id offset ${MAX_SCANNED} limit 1`,
};

/**
 * Times within which a text is searched one after another until there are enough rows: a search for frequent words reads few
 * records, and one for rare words finds them by the index, where their number bounds the work. Each has the conditions of its
 * requests, of `began_at` too. Where words are frequent and the requests are narrowed further, all that follows the first window is
 * one: each request that meets the other conditions is looked up, so that few are read of a text that many have.
 * @param range as far as it is known
 */
export async function* searchWindows(
  database: SqlQueries,
  search: TextSearch,
  range: { readonly from?: Date | undefined; readonly to?: Date | undefined },
  { descends, isNarrowed, wanted }: SearchWish,
): AsyncGenerator<readonly RowCondition[]> {
  const { accountId } = search;
  const [known] = await database.query<{ first: string | null; last: string | null }>(extent, [accountId]);
  if (known === undefined || known.first === null || known.last === null) return;
  const from = Math.max(range.from?.getTime() ?? 0, beganAt(known.first) - CLOCK_SLACK_MS);
  const to = Math.min(range.to?.getTime() ?? Infinity, beganAt(known.last) + MAX_BODY_MS + 1);
  if (!(from < to)) return;
  const first = await firstLength(database, accountId, { from, to }, descends);
  const isScanned = first === null || first >= MAX_BODY_MS;
  let length = first ?? to - from;
  const part = (done: number, ahead: number): SearchRange =>
    descends ? { from: to - ahead, to: to - done } : { from: from + done, to: from + ahead };
  for (let done = 0; done < to - from; length = nextLength(length, done, wanted)) {
    const ahead = Math.min(done + length, to - from);
    const window = part(done, ahead);
    const condition = done === 0 && isScanned ? scannedCondition : indexedCondition;
    yield [began(window), condition(search, window)];
    if (done === 0 && isScanned && isNarrowed && wanted !== null && ahead < to - from) {
      const records = (MAX_SCANNED * (to - from)) / length;
      // Of requests that are looked up, and of those that have the words.
      const [lookups, matches] = await expectedRows(database, search, window, wanted.limit, records);
      if (lookups * MATCHES_PER_LOOKUP < matches)
        return yield [began(part(ahead, to - from)), lookedUpCondition(search)];
    }
    length = ahead - done;
    done = ahead;
  }
}

/** Extrapolates from a window. */
async function expectedRows(
  database: SqlQueries,
  search: TextSearch,
  window: SearchRange,
  limit: number,
  records: number,
): Promise<readonly [lookups: number, matches: number]> {
  const { sql, values } = shareWithWords(search, window);
  const [counted] = await database.query<{ share: number | null }>(sql, values);
  const share = counted?.share ?? 0;
  return [share === 0 ? Infinity : limit / share, share * records];
}

function nextLength(length: number, done: number, wanted: SearchWish['wanted']): number {
  const found = wanted?.found() ?? 0;
  if (wanted === null || found === 0) return length * GROWTH;
  const expected = (done / found) * Math.max(wanted.limit + 1 - found, 1) * MARGIN;
  return Math.max(Math.min(length * GROWTH, Math.ceil(expected)), MIN_WINDOW_MS);
}

/** How long the time is that has so many records, in milliseconds; null if the range has no more. */
async function firstLength(
  database: SqlQueries,
  accountId: string,
  { from, to }: SearchRange,
  descends: boolean,
): Promise<number | null> {
  const bound = descends ? eventsIn({ from, to }).to : eventsIn({ from, to }).from;
  const [end] = await database.query<{ event_id: string }>(descends ? beyond.newest : beyond.oldest, [
    accountId,
    firstEventAt(bound),
  ]);
  if (end === undefined) return null;
  const length = descends ? to - beganAt(end.event_id) : beganAt(end.event_id) - from;
  return Math.min(Math.max(length, MIN_WINDOW_MS), to - from);
}

function began({ from, to }: SearchRange): RowCondition {
  return { sql: 'began_at >= ? and began_at < ?', values: [new Date(from), new Date(to)] };
}
