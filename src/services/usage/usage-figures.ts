import type { UsageLogFilter } from './usage-conditions.ts';

/** What usage can be grouped by, beside time; `tag` counts a request once for each of its tags. */
export const usageDimensions = ['key', 'model', 'provider', 'capability', 'member', 'tag'] as const;
export type UsageDimension = (typeof usageDimensions)[number];

export interface UsageReportFilter extends Omit<UsageLogFilter, 'model' | 'from' | 'to'> {
  /** One of them, where there are several. */
  readonly model?: string | readonly string[] | undefined;
  /** Counts only requests with a tag of this name, and groups by no other. */
  readonly tagName?: string | undefined;
}

/** What is asked of a sum. */
export interface Sums {
  readonly groupBy: readonly UsageDimension[];
  /** Whether percentiles are asked for: they cost more than all else. */
  readonly latency: boolean;
  /** How many groups at most. */
  readonly limit: number;
  readonly filter: UsageReportFilter;
  /** Whether rows without any usage are left out. */
  readonly grouped: boolean;
}

export const columns: Readonly<Record<UsageDimension, readonly string[]>> = {
  key: ['api_key_id'],
  model: ['model'],
  provider: ['provider'],
  capability: ['capability'],
  member: ['member_id'],
  tag: ['tag_name', 'tag_value'],
};

/**
 * SQL: whether rows of the roll-ups, with their sign, sum up to anything. A group can have a cost and no request: a video that
 * was begun on one day and billed on the next.
 */
export const hasUsage = '(sum(sign * requests) > 0 or sum(sign * cost_nano) > 0)';

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
    | 'first_token_ms',
    string
  >
> & { readonly durations?: string; readonly first_tokens?: string };

export interface GroupRow extends FigureRow {
  readonly slot: number;
  readonly api_key_id?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly capability?: string;
  readonly member_id?: string;
  readonly tag_name?: string;
  readonly tag_value?: string;
}
