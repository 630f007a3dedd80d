import type { SqlQueries } from '../../database/sql.ts';
import { beganAt } from '../unstored-rows/retention.ts';
import type { RowCondition } from '../row-condition.ts';
import {
  CLOCK_SLACK_MS,
  eventsIn,
  firstEventAt,
  indexedCondition,
  MAX_BODY_MS,
  scannedCondition,
  type SearchRange,
  type TextSearch,
} from './text-conditions.ts';

/** Records of the first window, all of which are read. */
const MAX_SCANNED = 1_000;
const MIN_WINDOW_MS = 1_000;
/** How much longer each window is than the one before. */
const GROWTH = 4;

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
 * requests, of `began_at` too.
 * @param range as far as it is known
 * @param descends the newest first
 */
export async function* searchWindows(
  database: SqlQueries,
  search: TextSearch,
  range: { readonly from?: Date | undefined; readonly to?: Date | undefined },
  descends: boolean,
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
  for (let done = 0; done < to - from; done += length, length *= GROWTH) {
    const ahead = Math.min(done + length, to - from);
    const window = descends ? { from: to - ahead, to: to - done } : { from: from + done, to: from + ahead };
    const condition = done === 0 && isScanned ? scannedCondition : indexedCondition;
    yield [began(window), condition(search, window)];
    length = ahead - done;
  }
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
