const DAY_MS = 86_400_000;
/** A search of more days names only the account. */
const MAX_DAYS = 62;

/**
 * Lexemes of a record that say whose it is and on which day it began, so that the index of words leads to the records of one
 * account and time. They contain spaces, which no word of a text or a search does.
 * @param accountId an SQL expression, as is `eventId`
 * @returns SQL of a tsvector
 */
export function searchKeys(accountId: string, eventId: string): string {
  const day = `('x' || left(replace(${eventId}::text, '-', ''), 12))::bit(48)::bigint / ${DAY_MS}`;
  return `array_to_tsvector(array[' ' || ${accountId}::text, ' ' || ${accountId}::text || ' ' || (${day})::text])`;
}

/**
 * A tsquery that finds the records of an account.
 * @param from of the IDs of events, in milliseconds since the epoch; `to` likewise, exclusive
 */
export function queryOfKeys(accountId: string, from: number, to: number): string {
  const account = ` ${accountId.toLowerCase()}`;
  const [first, last] = [Math.floor(from / DAY_MS), Math.floor((to - 1) / DAY_MS)];
  if (!(last - first < MAX_DAYS)) return `'${account}'`;
  return Array.from({ length: last - first + 1 }, (_, at) => `'${account} ${first + at}'`).join(' | ');
}
