import type { cacheFigures } from '../cache-figures.ts';
import type { LatestMatches } from '../latest-matches.ts';
import type { UsageLogFilter } from '../usage-conditions.ts';

/** Dimensions of usage reports besides time; `tag` counts a request once per tag; `endUser` and `error` sum the log itself. */
export const usageDimensions = ['key', 'model', 'provider', 'capability', 'member', 'tag', 'endUser', 'error'] as const;
export type UsageDimension = (typeof usageDimensions)[number];

export interface UsageReportFilter extends Omit<UsageLogFilter, 'model' | 'from' | 'to'> {
  /** Any of them, if several are given. */
  readonly model?: string | readonly string[] | undefined;
  /** Counts only requests with a tag of this name, and groups by its values. */
  readonly tagName?: string | undefined;
}

/** The requested sums. */
export interface Sums {
  readonly groupBy: readonly UsageDimension[];
  /** Whether percentiles are requested: they are the most expensive part. */
  readonly latency: boolean;
  /** The maximum number of groups. */
  readonly limit: number;
  readonly filter: UsageReportFilter;
  /** The requests that a filter with words matches. */
  readonly matches?: LatestMatches | null;
  /** Whether groups without usage are omitted. */
  readonly grouped: boolean;
}

export const columns: Readonly<Record<UsageDimension, readonly string[]>> = {
  key: ['api_key_id'],
  model: ['model'],
  provider: ['provider'],
  capability: ['capability'],
  member: ['member_id'],
  tag: ['tag_name', 'tag_value'],
  endUser: ['end_user'],
  error: ['error_code'],
};

/**
 * SQL: whether signed roll-up rows sum to any usage. A group may have a cost and no request: a video that was created on one
 * day and billed on the next.
 */
export const hasUsage = '(sum(sign * requests) > 0 or sum(sign * cost_nano) > 0)';

/**
 * SQL: the order in which groups are omitted at a limit, the last ones first. Every interval keeps its first groups, and if there
 * are more intervals than the limit, the newest intervals remain.
 * @param costliest SQL: the order of the groups of an interval
 */
export function orderAcrossSlots(costliest: string): string {
  return `row_number() over (partition by slot order by ${costliest}), slot desc`;
}

/** Figures that are only summed where percentiles are requested: the histograms, and what the mean of output speed needs. */
export const histogramFigures = [
  'durations',
  'first_tokens',
  'output_speeds',
  'streamed_tokens',
  'streamed_ms',
] as const;

export type FigureRow = Readonly<
  Record<
    | 'requests'
    | 'errors'
    | 'input_tokens'
    | 'output_tokens'
    | 'cached_tokens'
    | 'reasoning_tokens'
    | 'cost_nano'
    | 'duration_ms'
    | 'first_token_ms'
    | (typeof cacheFigures)[number],
    string
  >
> &
  Readonly<Partial<Record<(typeof histogramFigures)[number], string>>>;

export interface GroupRow extends FigureRow {
  readonly slot: number;
  readonly api_key_id?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly capability?: string;
  readonly member_id?: string;
  readonly tag_name?: string;
  readonly tag_value?: string;
  readonly end_user?: string | null;
  readonly error_code?: string | null;
}
