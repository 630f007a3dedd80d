import { isRangeName, MAX_TIME_MS, MIN_TIME_MS, type RangeName } from '../../data/range.ts';
import { oneOf, nonEmptyText, type UntrustedSearch } from '../../data/search.ts';
import type { RequestStatus } from '../../generated/graphql.ts';

export const statuses = [
  'SUCCEEDED',
  'FAILED',
  'ABORTED',
  'INTERRUPTED',
  'REJECTED',
] as const satisfies readonly RequestStatus[];
export const feedbackFilters = ['any', 'good', 'bad'] as const;
export const meansBy = ['model', 'route', 'key'] as const;
export const chartsBy = ['model', 'key'] as const;
export const figures = ['cost', 'requests', 'tokens'] as const;

/** As the export names them. */
export const sorts = [
  'time_desc',
  'time_asc',
  'cost_desc',
  'cost_asc',
  'duration_desc',
  'duration_asc',
  'tokens_desc',
  'tokens_asc',
] as const;
export type LogSort = (typeof sorts)[number];

export interface UsageLogsSearch {
  /** A named range. `from` and `to` take precedence. */
  readonly range?: RangeName;
  readonly from?: string;
  readonly to?: string;
  /** The full name. */
  readonly model?: string;
  /** Part of the name. */
  readonly modelContains?: string;
  readonly provider?: string;
  readonly capability?: string;
  /** The user who owned the key. */
  readonly member?: string;
  readonly status?: RequestStatus;
  /** Only requests that failed, were interrupted or were rejected. */
  readonly errors?: true;
  readonly errorCode?: string;
  readonly key?: string;
  readonly endUser?: string;
  readonly requestId?: string;
  readonly sessionId?: string;
  readonly traceId?: string;
  /** `name=value`, or a name alone. */
  readonly tag?: string;
  /** Words of the logged content. */
  readonly text?: string;
  readonly feedback?: (typeof feedbackFilters)[number];
  readonly by?: (typeof chartsBy)[number];
  /** What means of feedback are grouped by. */
  readonly meansBy?: (typeof meansBy)[number];
  readonly figure?: (typeof figures)[number];
  /** Absent for the newest first. */
  readonly sort?: LogSort;
  /** Names of columns, separated by commas. Absent for the default ones. */
  readonly columns?: string;
  /** The request whose details are open. */
  readonly log?: string;
}

export function usageLogsSearch(input: UntrustedSearch): UsageLogsSearch {
  return {
    range: isRangeName(input.range) ? input.range : undefined,
    from: validTime(input.from),
    to: validTime(input.to),
    model: nonEmptyText(input.model),
    modelContains: nonEmptyText(input.modelContains),
    provider: nonEmptyText(input.provider),
    capability: nonEmptyText(input.capability),
    member: nonEmptyText(input.member),
    status: oneOf(statuses, input.status),
    errors: input.errors === true ? true : undefined,
    errorCode: nonEmptyText(input.errorCode),
    key: nonEmptyText(input.key),
    endUser: nonEmptyText(input.endUser),
    requestId: nonEmptyText(input.requestId),
    sessionId: nonEmptyText(input.sessionId),
    traceId: nonEmptyText(input.traceId),
    tag: nonEmptyText(input.tag),
    text: nonEmptyText(input.text),
    feedback: oneOf(feedbackFilters, input.feedback),
    by: oneOf(chartsBy, input.by),
    meansBy: oneOf(meansBy, input.meansBy),
    figure: oneOf(figures, input.figure),
    sort: oneOf(sorts, input.sort),
    columns: nonEmptyText(input.columns),
    log: nonEmptyText(input.log),
  };
}

/** A time that the server accepts. */
export function validTime(value: unknown): string | undefined {
  const input = nonEmptyText(value);
  const at = Date.parse(input ?? '');
  return at >= MIN_TIME_MS && at <= MAX_TIME_MS ? input : undefined;
}
