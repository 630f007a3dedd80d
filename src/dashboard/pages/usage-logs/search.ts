import { isRangeName, type RangeName } from '../../data/range.ts';
import { oneOf, text, type Given } from '../../data/search.ts';
import type { RequestStatus } from '../../generated/graphql.ts';

export const statuses = [
  'SUCCEEDED',
  'FAILED',
  'ABORTED',
  'INTERRUPTED',
  'REJECTED',
] as const satisfies readonly RequestStatus[];
export const chartsBy = ['model', 'key'] as const;
export const figures = ['cost', 'requests', 'tokens'] as const;

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
  readonly status?: RequestStatus;
  readonly key?: string;
  readonly endUser?: string;
  readonly requestId?: string;
  /** `name=value`, or a name alone. */
  readonly tag?: string;
  readonly by?: (typeof chartsBy)[number];
  readonly figure?: (typeof figures)[number];
  /** The request whose details are open. */
  readonly log?: string;
}

export function usageLogsSearch(given: Given): UsageLogsSearch {
  return {
    range: isRangeName(given.range) ? given.range : undefined,
    from: moment(given.from),
    to: moment(given.to),
    model: text(given.model),
    modelContains: text(given.modelContains),
    provider: text(given.provider),
    status: oneOf(statuses, given.status),
    key: text(given.key),
    endUser: text(given.endUser),
    requestId: text(given.requestId),
    tag: text(given.tag),
    by: oneOf(chartsBy, given.by),
    figure: oneOf(figures, given.figure),
    log: text(given.log),
  };
}

function moment(value: unknown): string | undefined {
  const given = text(value);
  return given && !Number.isNaN(Date.parse(given)) ? given : undefined;
}
