import type { UsageStatus } from '../../gateway/usage/usage-record.ts';
import { CLOCK_SLACK_MS, MAX_BODY_MS, textCondition } from '../content-search/text-conditions.ts';
import { UUID, type RowCondition } from '../row-condition.ts';

/** Filters requests; all given conditions must match. The same for rows, sums and exports. */
export interface UsageLogFilter {
  readonly apiKeyId?: string | undefined;
  /** The exact name. */
  readonly model?: string | undefined;
  /** Part of the name, case-insensitive. */
  readonly modelContains?: string | undefined;
  readonly provider?: string | undefined;
  readonly capability?: string | undefined;
  /** The user who owned the API key at the time of the request. */
  readonly memberId?: string | undefined;
  readonly status?: UsageStatus | undefined;
  /** Whether the request failed, was interrupted or was rejected. */
  readonly isError?: boolean | undefined;
  readonly errorCode?: string | undefined;
  readonly endUser?: string | undefined;
  /** With any value where `value` is absent. */
  readonly tag?: { readonly name: string; readonly value?: string | null | undefined } | undefined;
  readonly sessionId?: string | undefined;
  readonly traceId?: string | undefined;
  readonly feedback?: FeedbackCondition | undefined;
  /** Words of the logged content, in the syntax of `websearch_to_tsquery`. */
  readonly text?: string | undefined;
  /** One request. */
  readonly eventId?: string | undefined;
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
}

/** Requests with feedback for which all given conditions hold; with any if there are none. */
export interface FeedbackCondition {
  readonly name?: string | null | undefined;
  /** Of the value as a number: booleans are 0 and 1. */
  readonly below?: number | null | undefined;
  readonly above?: number | null | undefined;
  readonly equals?: number | null | undefined;
  readonly category?: string | null | undefined;
}

/** @returns null if no request can match: an invalid id */
export function usageConditions(accountId: string, filter: UsageLogFilter): RowCondition[] | null {
  const { apiKeyId, model, modelContains, provider, capability, status, endUser, tag, eventId, from, to } = filter;
  const { sessionId, traceId, feedback, text, memberId, isError, errorCode } = filter;
  if ([apiKeyId, memberId].some((id) => id !== undefined && !UUID.test(id))) return null;
  const conditions: RowCondition[] = [];
  const add = (sql: string, ...values: readonly unknown[]): void => void conditions.push({ sql, values });
  if (eventId !== undefined) {
    const began = beginOf(eventId);
    if (began === null) return null;
    add('event_id = ?::uuid and began_at >= ? and began_at < ?', eventId, began.$gte, began.$lt);
  }
  if (apiKeyId !== undefined) add('api_key_id = ?::uuid', apiKeyId);
  if (model !== undefined) add('model = ?', model);
  if (modelContains !== undefined) add('model ilike ?', containing(modelContains));
  if (provider !== undefined) add('provider = ?', provider);
  if (capability !== undefined) add('capability = ?', capability);
  if (memberId !== undefined) add('member_id = ?::uuid', memberId);
  if (status !== undefined) add('status = ?', status);
  if (isError !== undefined) add(isError ? hasFailed : `not (${hasFailed})`);
  if (errorCode !== undefined) add('error_code = ?', errorCode);
  if (endUser !== undefined) add('end_user = ?', endUser);
  if (tag !== undefined && tag.value == null) add('tags ->> ? is not null', tag.name);
  else if (tag !== undefined) add('tags @> ?::jsonb', JSON.stringify({ [tag.name]: tag.value }));
  if (sessionId !== undefined) add('session_id = ?', sessionId);
  if (traceId !== undefined) add('trace_id = ?', traceId);
  if (feedback !== undefined) conditions.push(feedbackCondition(feedback));
  if (text !== undefined)
    conditions.push(textCondition({ accountId, words: text }, { from: from?.getTime(), to: to?.getTime() }));
  if (from) add('began_at >= ?', comparable(from));
  if (to) add('began_at < ?', comparable(to));
  return conditions;
}

/** The second part lets the planner use the index of requests that did not succeed. */
const hasFailed = "(status in ('failed', 'interrupted', 'rejected') and status <> 'succeeded')";

/** The row's columns are outside of the subquery: within it, those of `rated` would be meant. */
function feedbackCondition({ name, below, above, equals, category }: FeedbackCondition): RowCondition {
  const parts: [sql: string, value: unknown][] = [];
  if (name != null) parts.push(['rated.name = ?', name]);
  if (below != null) parts.push(['rated.score < ?::float8', below]);
  if (above != null) parts.push(['rated.score > ?::float8', above]);
  if (equals != null) parts.push(['rated.score = ?::float8', equals]);
  if (category != null) parts.push(['rated.value = to_jsonb(?::text)', category]);
  const narrowing = parts.map(([sql]) => ` and ${sql}`).join('');
  return {
    sql: `(account_id, event_id) in (select rated.account_id, rated.event_id from feedback as rated where rated.event_id is not null${narrowing})`,
    values: parts.map(([, value]) => value),
  };
}

/** A `like` pattern for names that contain this part. */
export function containing(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/** PostgreSQL cannot parse later years in this format. */
const MAX_MS = Date.UTC(9999, 11, 31);

/**
 * An id contains its creation time, shortly before the request began, so that one or two partitions are read. Null for an
 * invalid id.
 */
export function beginOf(eventId: string): { readonly $gte: Date; readonly $lt: Date } | null {
  if (!UUID.test(eventId)) return null;
  const madeAt = Number.parseInt(eventId.replaceAll('-', '').slice(0, 12), 16);
  if (madeAt > MAX_MS) return null;
  return { $gte: new Date(madeAt - CLOCK_SLACK_MS), $lt: new Date(madeAt + MAX_BODY_MS) };
}

/** The nearest time that the database can compare with; requests begin between 1970 and 9999. */
function comparable(moment: Date): Date {
  return new Date(Math.min(Math.max(moment.getTime(), 0), MAX_MS));
}
