import { databaseErrorCode, isConnectionFailure } from '../../database/connection-failure.ts';
import type { SqlClient } from '../../database/sql.ts';

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
 * An account that ends search meanwhile waits for the lock, or is waited for, so that no words are stored afterwards.
 */
const insertWords = `
with incoming as (
  select * from json_to_recordset($1) as r(account_id uuid, event_id uuid, search_text text)
),
searchable as materialized (
  select id from accounts
  where content_search and id in (select account_id from incoming)
  order by id for share
)
insert into logged_texts (account_id, event_id, document)
select account_id, event_id, to_tsvector('simple', search_text)
from incoming join searchable on searchable.id = account_id`;

/**
 * Stores the words of records in the transaction of the client: all in one statement, and where that fails, each in its own, so
 * that what one record has of words takes none from others.
 * @returns the records whose words could not be stored. @throws where the connection failed
 */
export async function storeWords(client: SqlClient, texts: readonly SearchableText[]): Promise<WordsFailure[]> {
  if (texts.length === 0 || (await attempt(client, texts)) === null) return [];
  const failures: WordsFailure[] = [];
  for (const text of texts) {
    const failure = await attempt(client, [text]);
    if (failure !== null) failures.push({ event: text.event_id, code: failure.code });
  }
  return failures;
}

/** @returns null where it succeeded; otherwise the transaction is as before */
async function attempt(
  client: SqlClient,
  texts: readonly SearchableText[],
): Promise<Pick<WordsFailure, 'code'> | null> {
  await client.query('savepoint words');
  try {
    await client.query(insertWords, [JSON.stringify(texts)]);
  } catch (error) {
    if (isConnectionFailure(error)) throw error;
    await client.query('rollback to savepoint words');
    return { code: databaseErrorCode(error) };
  }
  await client.query('release savepoint words');
  return null;
}
