import type { Database } from '../../../database/database.ts';
import { mapDatabaseErrors } from '../../database-availability.ts';
import { totalsOf, type FigureRow, type UsageTotals } from '../report/usage-report.ts';
import { rowFigures, rowHistograms } from '../report/usage-row-sums.ts';
import { requestCount } from '../request-count.ts';
import { numbered, type RowCondition } from '../../row-condition.ts';
import { latestMatches } from '../latest-matches.ts';
import { usageConditions, type UsageLogFilter } from '../usage-conditions.ts';
import type { UsagePosition } from '../usage.service.ts';

/** The requests of an account that name the same session, with their totals. */
export interface RequestSession extends UsageTotals {
  readonly sessionId: string;
  readonly firstRequestAt: Date;
  readonly lastRequestAt: Date;
  /** When its last request ended. */
  readonly endedAt: Date;
  readonly models: readonly string[];
  readonly apiKeyIds: readonly string[];
}

/** A session with its position in the list: that of its last matching request. */
export interface ListedSession {
  readonly session: RequestSession;
  readonly position: UsagePosition;
}

export interface SessionPage {
  /** In the requested direction. */
  readonly rows: readonly ListedSession[];
  readonly hasMore: boolean;
}

interface FoundRow {
  readonly session_id: string;
  readonly event_id: string;
  readonly began_ms: string;
}

interface SessionRow extends FigureRow {
  readonly session_id: string;
  readonly first_ms: string;
  readonly last_ms: string;
  readonly ended_ms: string;
  readonly models: readonly string[] | null;
  readonly api_key_ids: readonly string[];
}

/** Requests that a search covers: the latest that match. */
export const MAX_SEARCHED = 10_000;

/** The charge of a video is dated at its end; other rows begin at their time. */
const end = `began_at + case when ${requestCount} = 0 then 0 else duration_ms end * interval '1 millisecond'`;

const milliseconds = (time: string): string => `(extract(epoch from ${time}) * 1000)::bigint`;

/** Each session is read by one stretch of an index. */
const totals = `
select session_id, ${[...rowFigures, ...rowHistograms].join(', ')},
  ${milliseconds('min(began_at)')} as first_ms, ${milliseconds('max(began_at)')} as last_ms,
  ${milliseconds(`max(${end})`)} as ended_ms,
  array_agg(distinct model order by model) filter (where model <> '') as models, array_agg(distinct api_key_id)::text[] as api_key_ids
from usage_logs where account_id = $1 and session_id = any($2::text[]) group by session_id`;

/** Sessions of requests, by the session IDs in the usage log. */
export class RequestSessions {
  readonly #database: Database;
  readonly #maxSearched: number;

  constructor(database: Database, maxSearched = MAX_SEARCHED) {
    this.#database = database;
    this.#maxSearched = maxSearched;
  }

  /**
   * Sessions with a request that matches the filter, by their last one, newest first; oldest first if `backwards`. Totals are
   * of all their requests. A filter with words covers the latest `MAX_SEARCHED` requests that match.
   * @param from null for the end of the list
   */
  page(
    accountId: string,
    filter: UsageLogFilter,
    limit: number,
    from: UsagePosition | null,
    backwards = false,
  ): Promise<SessionPage> {
    return mapDatabaseErrors(async () => {
      const conditions = await this.#conditions(accountId, filter);
      if (conditions === null) return { rows: [], hasMore: false };
      const [beyond, order] = backwards ? ['>', 'asc'] : ['<', 'desc'];
      const values: unknown[] = [accountId, limit + 1];
      const last = filter.text === undefined ? lastRequests(conditions, values) : lastOfFew(conditions, values);
      const start =
        from === null
          ? ''
          : ` and (began_at, event_id) ${beyond} ($${values.push(from.beganAt)}, $${values.push(from.eventId)}::uuid)`;
      const found = await this.#database.query<FoundRow>(
        `select session_id, event_id, ${milliseconds('began_at')} as began_ms from ${last}${start}
         order by began_at ${order}, event_id ${order} limit $2`,
        values,
      );
      const listed = found.slice(0, limit);
      const sessions = await this.#totals(
        accountId,
        listed.map((row) => row.session_id),
      );
      const rows = listed.flatMap(({ session_id, event_id: eventId, began_ms }) => {
        const session = sessions.get(session_id);
        return session === undefined ? [] : [{ session, position: { beganAt: new Date(Number(began_ms)), eventId } }];
      });
      return { rows, hasMore: found.length > limit };
    });
  }

  /** The account's sessions among these. */
  async byIds(accountId: string, ids: readonly string[]): Promise<RequestSession[]> {
    return [...(await mapDatabaseErrors(() => this.#totals(accountId, ids))).values()];
  }

  async #conditions(
    accountId: string,
    { text, from, to, ...filter }: UsageLogFilter,
  ): Promise<readonly RowCondition[] | null> {
    if (text === undefined) return usageConditions(accountId, { ...filter, from, to });
    const conditions = usageConditions(accountId, filter);
    if (conditions === null) return null;
    const ofSessions = [...conditions, { sql: 'session_id is not null', values: [] }];
    const search = { accountId, words: text };
    return (await latestMatches(this.#database, search, { from, to }, ofSessions, this.#maxSearched)).conditions;
  }

  async #totals(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, RequestSession>> {
    const rows = ids.length === 0 ? [] : await this.#database.query<SessionRow>(totals, [accountId, ids]);
    return new Map(rows.map((row) => [row.session_id, sessionOf(row)]));
  }
}

/** The last matching request of each session, found by index: a page of many. */
function lastRequests(conditions: readonly RowCondition[], values: unknown[]): string {
  const [matching, matchingLater] = [numbered(conditions, values), numbered(conditions, values)];
  return `usage_logs as log
    where account_id = $1 and session_id is not null${matching} and not exists (
      select 1 from usage_logs
      where account_id = $1 and session_id = log.session_id and began_at >= log.began_at
        and (began_at, event_id) > (log.began_at, log.event_id)${matchingLater}
    )`;
}

/** The same where few requests match: each is read once. */
function lastOfFew(conditions: readonly RowCondition[], values: unknown[]): string {
  return `(
      select distinct on (session_id) session_id, event_id, began_at from usage_logs
      where account_id = $1 and session_id is not null${numbered(conditions, values)}
      order by session_id, began_at desc, event_id desc
    ) as log where true`;
}

function sessionOf(row: SessionRow): RequestSession {
  return {
    ...totalsOf(row),
    sessionId: row.session_id,
    firstRequestAt: new Date(Number(row.first_ms)),
    lastRequestAt: new Date(Number(row.last_ms)),
    endedAt: new Date(Number(row.ended_ms)),
    models: row.models ?? [],
    apiKeyIds: row.api_key_ids,
  };
}
