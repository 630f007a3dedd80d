import { UUID, type RowCondition } from '../row-condition.ts';
import { queryOfKeys } from './search-keys.ts';

/** Words of the logged content of an account, in the syntax of `websearch_to_tsquery`. */
export interface TextSearch {
  readonly accountId: string;
  readonly words: string;
}

/** UTF-16 code units. */
export const MAX_SEARCH_LENGTH = 256;

/** PostgreSQL accepts neither NUL nor lone surrogates. */
export function isSearchable(words: string): boolean {
  return words.length <= MAX_SEARCH_LENGTH && /^[^\0\p{Cs}]*$/u.test(words);
}

/** In milliseconds since the epoch; `to` is exclusive. */
export interface SearchRange {
  readonly from: number;
  readonly to: number;
}

/** The time between the ID of an event and the start of its request, in which the body is received. */
export const MAX_BODY_MS = 15 * 60_000;
/** Between the clocks of processes. */
export const CLOCK_SLACK_MS = 60_000;

const words = "websearch_to_tsquery('simple', ?)";
/** Without words there is nothing to find: the keys alone would find all. */
const byIndex = `found.document @@ (?::tsquery && ${words}) and numnode(${words}) > 0`;
/** Those that were stored before there were keys, until the job adds them. */
const withoutKeys = `not found.is_keyed and found.account_id = ?::uuid and found.document @@ ${words}`;

/** For totals: all requests of a range whose content has these words. */
export function textCondition(
  search: TextSearch,
  range: { readonly [bound in keyof SearchRange]: number | undefined },
): RowCondition {
  const { from, to } = eventsIn({ from: range.from ?? 0, to: range.to ?? Infinity });
  const { accountId, words: text } = search;
  return {
    sql: `(account_id, event_id) in (
      select found.account_id, found.event_id from logged_texts as found where ${byIndex}
      union all
      select found.account_id, found.event_id from logged_texts as found where ${withoutKeys}
    )`,
    values: [keysFor(accountId, from, to), text, text, accountId, text],
  };
}

/** For rows: those whose content was searched before rows are read, whatever the planner expects. By the index of words. */
export function indexedCondition({ accountId, words: text }: TextSearch, range: SearchRange): RowCondition {
  const { from, to } = eventsIn(range);
  const inRange = 'found.account_id = ?::uuid and found.event_id >= ?::uuid and found.event_id < ?::uuid';
  const bounds = [accountId, firstEventAt(from), firstEventAt(to)];
  return {
    sql: `event_id = any(array(
      select found.event_id from logged_texts as found where ${inRange} and ${byIndex}
      union all
      select found.event_id from logged_texts as found where ${inRange} and ${withoutKeys}
    ))`,
    values: [...bounds, keysFor(accountId, from, to), text, text, ...bounds, accountId, text],
  };
}

/** The same by reading each record of the range: for few, with words that many of them have. */
export function scannedCondition({ accountId, words: text }: TextSearch, range: SearchRange): RowCondition {
  const { from, to } = eventsIn(range);
  return {
    // The offset keeps the planner from the index of words.
    sql: `event_id = any(array(
      select found.event_id from (
        select event_id, document from logged_texts
        where account_id = ?::uuid and event_id >= ?::uuid and event_id < ?::uuid offset 0
      ) as found where found.document @@ ${words}
    ))`,
    values: [accountId, firstEventAt(from), firstEventAt(to), text],
  };
}

/** The same by reading the record of each row that meets all other conditions: for words that many have, where few rows do. */
export function lookedUpCondition({ accountId, words: text }: TextSearch): RowCondition {
  return {
    // A subquery in the place of a value is evaluated by row. Its columns have other names than those of the row.
    sql: `coalesce((
      select found.document @@ ${words} from (
        select event_id as found_id, document from logged_texts where account_id = ?::uuid
      ) as found where found.found_id = event_id
    ), false)`,
    values: [text, accountId],
  };
}

/** A statement that returns the share of an account's records in a range that have these words. */
export function shareWithWords(
  { accountId, words: text }: TextSearch,
  range: SearchRange,
): { readonly sql: string; readonly values: unknown[] } {
  const { from, to } = eventsIn(range);
  return {
    sql: `select avg((document @@ websearch_to_tsquery('simple', $4))::int)::float8 as share from (
      select document from logged_texts
      where account_id = $1::uuid and event_id >= $2::uuid and event_id < $3::uuid offset 0
    ) as found`,
    values: [accountId, firstEventAt(from), firstEventAt(to), text],
  };
}

/** The IDs of events whose requests may begin in a range. */
export function eventsIn({ from, to }: SearchRange): SearchRange {
  return { from: from - MAX_BODY_MS, to: to + CLOCK_SLACK_MS };
}

/** The first UUIDv7 of a moment, in milliseconds since the epoch. */
export function firstEventAt(at: number): string {
  const digits = Math.max(0, Math.floor(at)).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}

function keysFor(accountId: string, from: number, to: number): string {
  // An invalid ID finds nothing, and is no text of a query.
  return UUID.test(accountId) ? queryOfKeys(accountId, from, to) : '';
}
