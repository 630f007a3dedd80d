import { databaseErrorCode, isConnectionFailure } from '../../database/connection-failure.ts';
import type { SqlQueries } from '../../database/sql.ts';
import { searchKeys } from '../content-search/search-keys.ts';

/** Redacted text of a stored record. */
export interface SearchableText {
  readonly account_id: string;
  readonly event_id: string;
  readonly search_text: string;
}

/** A record whose words were not stored. */
export interface WordsFailure {
  readonly event: string;
  /** The SQLSTATE: a message may contain content. */
  readonly code: string | null;
}

/**
 * An account that ends search meanwhile, or a person who deletes the content, waits for the locks, or is waited for, so that no
 * words are stored afterwards.
 */
const insertWords = `
with incoming as (
  select * from json_to_recordset($1) as r(account_id uuid, event_id uuid, search_text text)
),
searchable as materialized (
  select id from accounts
  where content_search and id in (select account_id from incoming)
  order by id for share
),
stored as materialized (
  select c.account_id, c.event_id from logged_contents as c
  where c.state = 'stored' and (c.account_id, c.event_id) in (select account_id, event_id from incoming)
  order by c.event_id for share
)
insert into logged_texts (account_id, event_id, document, is_keyed)
select account_id, event_id, to_tsvector('simple', search_text) || ${searchKeys('account_id', 'event_id')}, true
from incoming join stored using (account_id, event_id) join searchable on searchable.id = account_id
on conflict do nothing`;

/**
 * Stores the words of stored records: all in one statement, and where that fails, each in its own, so that the words of one record
 * do not affect those of others. Idempotent. Not in one transaction with the records: the connection to the embedded database is of
 * no more use after an error within one.
 * @returns the records whose words could not be stored. @throws where the connection failed
 */
export async function storeWords(database: SqlQueries, texts: readonly SearchableText[]): Promise<WordsFailure[]> {
  if (texts.length === 0 || (await attempt(database, texts)) === null) return [];
  const failures: WordsFailure[] = [];
  for (const text of texts) {
    const failure = await attempt(database, [text]);
    if (failure !== null) failures.push({ event: text.event_id, code: failure.code });
  }
  return failures;
}

/** @returns null where it succeeded */
async function attempt(
  database: SqlQueries,
  texts: readonly SearchableText[],
): Promise<Pick<WordsFailure, 'code'> | null> {
  try {
    await database.query(insertWords, [JSON.stringify(texts)]);
    return null;
  } catch (error) {
    if (isConnectionFailure(error)) throw error;
    return { code: databaseErrorCode(error) };
  }
}
