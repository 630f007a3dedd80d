import type { Database } from '../../database/database.ts';
import { firstEventAt } from '../content-search/text-conditions.ts';
import { SEGMENT_TYPE } from '../../storage/blobs/object-key.ts';

/** How many days an account's content is retained. */
export type ContentDays = (accountId: string) => number | Promise<number>;

/** Of an account that no longer exists. */
const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;
const BATCH_ROWS = 5_000;
/** A segment is stored before its rows. */
const UNCLAIMED_MS = 3_600_000;

/** As the account sets it. */
export function contentDaysOf(database: Pick<Database, 'query'>): ContentDays {
  const text = 'select content_retention_days as days from accounts where id = $1';
  return async (accountId) => {
    const [account] = await database.query<{ days: number }>(text, [accountId]);
    return account?.days ?? DEFAULT_DAYS;
  };
}

/** The accounts with stored content, by index: one step per account, regardless of rows. */
const accounts = `
with recursive found as (
  (select account_id from logged_contents order by account_id limit 1)
  union all
  select (select account_id from logged_contents where account_id > found.account_id order by account_id limit 1)
  from found where found.account_id is not null
)
select account_id from found where account_id is not null`;

/** The keys are destroyed at once; the rows say what became of the content. */
const expire = `
with old as (
  select event_id from logged_contents where account_id = $1 and event_id < $2 and state = 'stored' order by event_id limit ${BATCH_ROWS}
),
gone as (
  update logged_contents
  set state = 'expired', segment_id = null, position = null, length = null, wrapped_key = null, redactions = null
  from old where logged_contents.event_id = old.event_id and state = 'stored' returning account_id, logged_contents.event_id
),
texts as (
  delete from logged_texts using gone where logged_texts.account_id = gone.account_id and logged_texts.event_id = gone.event_id
)
select count(*) as rows from gone`;

/** Those of segments of which nothing can be read. The sweep of blobs removes the files. */
const expireSegments = `
update blobs set expires_at = $1 where content_type = $2 and expires_at is null and created_at < $3
  and not exists (select from logged_contents where segment_id = blobs.id)`;

/** Rows of requests that are no longer in the usage log. A UUIDv7 starts with its time in milliseconds. */
const removeUnlogged = `
delete from logged_contents using usage_retention
where logged_contents.account_id = usage_retention.account_id and event_id <
  (lpad(to_hex((extract(epoch from kept_from) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;

/** Ends the retention of logged content. */
export class ContentRetention {
  readonly #database: Pick<Database, 'query'>;
  readonly #days: ContentDays;

  constructor(database: Pick<Database, 'query'>, days: ContentDays) {
    this.#database = database;
    this.#days = days;
  }

  /**
   * Stops between batches when `signal` aborts.
   * @returns how many contents expired @throws after all that can be done, where some could not
   */
  async expireOld(now: Date, signal?: AbortSignal): Promise<number> {
    let expired = 0;
    const failures: unknown[] = [];
    for (const { account_id: accountId } of await this.#database.query<{ account_id: string }>(accounts)) {
      try {
        expired += await this.#expireOf(accountId, now, signal);
      } catch (error) {
        failures.push(error);
      }
    }
    await this.#database.query(removeUnlogged);
    const claimed = new Date(now.getTime() - UNCLAIMED_MS);
    await this.#database.query(expireSegments, [now, SEGMENT_TYPE, claimed]);
    if (failures.length > 0) throw new AggregateError(failures, 'the content of some accounts could not expire');
    return expired;
  }

  async #expireOf(accountId: string, now: Date, signal: AbortSignal | undefined): Promise<number> {
    const before = firstEventAt(now.getTime() - (await this.#days(accountId)) * DAY_MS);
    let expired = 0;
    for (let rows = BATCH_ROWS; rows === BATCH_ROWS && !signal?.aborted;) {
      const [batch] = await this.#database.query<{ rows: string }>(expire, [accountId, before]);
      rows = Number(batch?.rows ?? 0);
      expired += rows;
    }
    return expired;
  }
}
