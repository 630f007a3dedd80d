import { randomUUID } from 'node:crypto';
import { delay, systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { SluiceError } from '../../errors/index.ts';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { beginOf } from '../usage/usage-conditions.ts';
import type { FeedbackValue, GivenFeedback } from './feedback-input.ts';

export interface FeedbackRow {
  readonly id: string;
  readonly event_id: string | null;
  readonly session_id: string | null;
  readonly author_id: string;
  readonly name: string;
  readonly value: FeedbackValue;
  readonly comment: string | null;
  /** Milliseconds since the epoch. */
  readonly created_ms: string;
  readonly updated_ms: string;
}

/** What feedback is about. */
export type FeedbackTarget = { readonly eventId: string } | { readonly sessionId: string };

export interface FeedbackDependencies {
  readonly database: Database;
  /** Stores the usage that this process has in its journal. */
  readonly storeUsage: () => Promise<void>;
  readonly clock?: Clock;
}

/** Feedback of a request or a session. */
const MAX_FEEDBACK = 100;
/** Usage is stored within a second, wherever the request was: younger requests are looked for again. */
const [RETRY_MS, MAX_RETRIES, YOUNG_MS] = [500, 6, 60_000];

const columns = `id, event_id, session_id, author_id, name, value, comment,
  (extract(epoch from created_at) * 1000)::bigint as created_ms, (extract(epoch from updated_at) * 1000)::bigint as updated_ms`;

const upsert = (target: 'event_id' | 'session_id'): string => `
insert into feedback (id, account_id, author_id, ${target}, name, value, score, comment, requested_at, created_at, updated_at)
select $1, $2, $3, $4, $5, $6::text::jsonb, $7, $8, $9, $10, $10
where exists (select 1 from feedback where account_id = $2 and ${target} = $4 and name = $5 and author_id = $3)
  or (select count(*) from feedback where account_id = $2 and ${target} = $4) < ${MAX_FEEDBACK}
on conflict (account_id, ${target}, name, author_id) where ${target} is not null
do update set value = excluded.value, score = excluded.score, comment = excluded.comment, updated_at = excluded.updated_at
returning ${columns}`;

/** Feedback on requests and sessions. Every method also throws SluiceError database_unavailable. */
export class FeedbackService {
  readonly #database: Database;
  readonly #storeUsage: () => Promise<void>;
  readonly #clock: Clock;

  constructor({ database, storeUsage, clock = systemClock }: FeedbackDependencies) {
    this.#database = database;
    this.#storeUsage = storeUsage;
    this.#clock = clock;
  }

  /**
   * Stores feedback, in place of that of the same name by the same author.
   * @param reach the requests that it may be about
   * @throws SluiceError not_found | zero_retention | invalid_value
   */
  async submit(
    reach: ObjectReach,
    authorId: string,
    target: FeedbackTarget,
    given: GivenFeedback,
  ): Promise<FeedbackRow> {
    const { accountId } = reach;
    if (given.comment !== null) await this.#requireRetention(accountId);
    const requestedAt = await this.#requestedAt(reach, target);
    const [column, id] =
      'eventId' in target ? (['event_id', target.eventId] as const) : (['session_id', target.sessionId] as const);
    const { name, value, comment } = given;
    const score = typeof value === 'string' ? null : Number(value);
    const now = new Date(this.#clock.now());
    const values = [
      randomUUID(),
      accountId,
      authorId,
      id,
      name,
      JSON.stringify(value),
      score,
      comment,
      requestedAt,
      now,
    ];
    const [row] = await mapDatabaseErrors(() => this.#database.query<FeedbackRow>(upsert(column), values));
    if (row === undefined)
      throw new SluiceError('invalid_value', {
        param: 'name',
        values: { reason: `there are ${MAX_FEEDBACK} values already. Change or delete one of them.` },
      });
    return row;
  }

  /** @returns whether there was one */
  async remove({ accountId, apiKeyId }: ObjectReach, id: string): Promise<boolean> {
    const text =
      'delete from feedback where id = $1 and account_id = $2 and ($3::uuid is null or author_id = $3) returning id';
    const rows = await mapDatabaseErrors(() => this.#database.query(text, [id, accountId, apiKeyId]));
    return rows.length > 0;
  }

  byIds(accountId: string, ids: readonly string[]): Promise<FeedbackRow[]> {
    return this.#read('id', 'uuid', accountId, ids);
  }

  /** Oldest first. */
  ofRequests(accountId: string, eventIds: readonly string[]): Promise<FeedbackRow[]> {
    return this.#read('event_id', 'uuid', accountId, eventIds);
  }

  /** Oldest first. */
  ofSessions(accountId: string, sessionIds: readonly string[]): Promise<FeedbackRow[]> {
    return this.#read('session_id', 'text', accountId, sessionIds);
  }

  async #read(column: string, type: string, accountId: string, ids: readonly string[]): Promise<FeedbackRow[]> {
    if (ids.length === 0) return [];
    const text = `select ${columns} from feedback where account_id = $1 and ${column} = any($2::${type}[]) order by created_at, id`;
    return mapDatabaseErrors(() => this.#database.query<FeedbackRow>(text, [accountId, ids]));
  }

  /** Comments are content. */
  async #requireRetention(accountId: string): Promise<void> {
    const text = 'select zero_retention from accounts where id = $1';
    const [account] = await mapDatabaseErrors(() =>
      this.#database.query<{ zero_retention: boolean }>(text, [accountId]),
    );
    if (account?.zero_retention !== true) return;
    throw new SluiceError('zero_retention', {
      param: 'comment',
      values: { what: 'A comment', next: 'Send the feedback without `comment`.' },
    });
  }

  /** When what the feedback is about was requested. @throws SluiceError not_found */
  async #requestedAt(reach: ObjectReach, target: FeedbackTarget): Promise<Date> {
    const isYoung = 'sessionId' in target || this.#isYoung(target.eventId);
    for (let retries = 0; ; retries++) {
      const found = await this.#find(reach, target);
      if (found !== null) return found;
      if (!isYoung || retries === MAX_RETRIES) break;
      if (retries === 0) await this.#storeUsage().catch(() => undefined);
      else if ('sessionId' in target) break;
      else await delay(this.#clock, RETRY_MS);
    }
    const [param, what] = 'eventId' in target ? ['request_id', 'request'] : ['session_id', 'session'];
    throw new SluiceError('not_found', { param, values: { what } });
  }

  async #find({ accountId, apiKeyId }: ObjectReach, target: FeedbackTarget): Promise<Date | null> {
    const began = 'eventId' in target ? beginOf(target.eventId) : null;
    if ('eventId' in target && began === null) return null;
    const [condition, values] =
      'eventId' in target
        ? ['event_id = $3::uuid and began_at >= $4 and began_at < $5', [target.eventId, began?.$gte, began?.$lt]]
        : ['session_id = $3', [target.sessionId]];
    const rows = await mapDatabaseErrors(() =>
      this.#database.query<{ at: string }>(
        `select (extract(epoch from began_at) * 1000)::bigint as at from usage_logs
         where account_id = $1 and ($2::uuid is null or api_key_id = $2) and ${condition} order by began_at desc limit 1`,
        [accountId, apiKeyId, ...values],
      ),
    );
    return rows[0] === undefined ? null : new Date(Number(rows[0].at));
  }

  /** The ID of a request contains its time. */
  #isYoung(eventId: string): boolean {
    const madeAt = Number.parseInt(eventId.replaceAll('-', '').slice(0, 12), 16);
    return Math.abs(this.#clock.now() - madeAt) < YOUNG_MS;
  }
}

/** Feedback as in the REST API. */
export function publicFeedback(row: FeedbackRow): object {
  const { id, event_id: eventId, session_id: sessionId, name, value, comment, created_ms, updated_ms } = row;
  return {
    id: `fb_${id.replaceAll('-', '')}`,
    object: 'feedback',
    request_id: eventId === null ? null : requestIdOf(eventId),
    session_id: sessionId,
    name,
    value,
    comment,
    created_at: Math.floor(Number(created_ms) / 1_000),
    updated_at: Math.floor(Number(updated_ms) / 1_000),
  };
}

/** The `x-request-id` of a response. */
function requestIdOf(eventId: string): string {
  return `req_${eventId.replaceAll('-', '')}`;
}
