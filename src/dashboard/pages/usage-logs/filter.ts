import type { Range } from '../../data/range.ts';
import type { UsageFilter, UsageLogFilter } from '../../generated/graphql.ts';
import type { UsageLogsSearch } from './search.ts';

const HOUR_MS = 3_600_000;

/** Good and bad are thumbs: true and false. */
const feedbackConditions = { any: {}, good: { equals: 1 }, bad: { equals: 0 } } as const;

/** The filters of rows, totals, charts and export, without the time range. */
export function filterOf(search: UsageLogsSearch): UsageFilter & Omit<UsageLogFilter, 'from' | 'to'> {
  const { model, modelContains, provider, capability, status, key, endUser, requestId, sessionId, traceId } = search;
  const { member: memberId, errors: isError, errorCode } = search;
  const ids = { requestId, sessionId, traceId, apiKeyId: key, memberId };
  const feedback = search.feedback && feedbackConditions[search.feedback];
  const { text } = search;
  const outcome = { status, isError, errorCode };
  const target = { model, modelContains, provider, capability };
  return { ...target, ...outcome, endUser, ...ids, tag: tagOf(search.tag), feedback, text };
}

export function hasFilter(search: UsageLogsSearch): boolean {
  return Object.values(filterOf(search)).some((each) => each !== undefined);
}

/** The same filters as query parameters of the export. */
export function exportParams(search: UsageLogsSearch): Readonly<Record<string, string | undefined>> {
  const { model, modelContains, provider, status, key, endUser, requestId, sessionId, traceId, tag, text } = search;
  return {
    model,
    model_contains: modelContains,
    provider,
    capability: search.capability,
    member_id: search.member,
    status: status?.toLowerCase(),
    errors: search.errors === true ? 'true' : undefined,
    error_code: search.errorCode,
    api_key_id: key,
    end_user: endUser,
    request_id: requestId,
    session_id: sessionId,
    trace_id: traceId,
    tag,
    text,
    feedback: search.feedback === 'any' ? 'any' : undefined,
    feedback_equals: search.feedback === 'good' ? '1' : search.feedback === 'bad' ? '0' : undefined,
  };
}

/** `name=value`, or a name for any value. */
function tagOf(text: string | undefined): UsageLogFilter['tag'] {
  if (!text) return undefined;
  const at = text.indexOf('=');
  return at < 0 ? { name: text } : { name: text.slice(0, at), value: text.slice(at + 1) };
}

/** When a request was received, in ms: its id contains it. NaN for other text. */
export function startOf(requestId: string): number {
  return Number.parseInt(/^req_([0-9a-f]{12})/.exec(requestId)?.[1] ?? '', 16);
}

/** A range around a request. Null for other text. */
export function rangeOfRequest(requestId: string): Range | null {
  const at = startOf(requestId);
  if (Number.isNaN(at) || at > Date.UTC(2099, 0)) return null;
  return { from: new Date(at - HOUR_MS).toISOString(), to: new Date(at + HOUR_MS).toISOString(), interval: 'HOUR' };
}
