import { isRangeName, type RangeName } from '../../data/range.ts';
import { nonEmptyText, oneOf, type UntrustedSearch } from '../../data/search.ts';
import type { RequestStatus, UsageDimension } from '../../generated/graphql.ts';
import { statuses, validTime } from '../usage-logs/search.ts';

export const dimensions = ['model', 'provider', 'capability', 'tag', 'user', 'member', 'key'] as const;
export type Dimension = (typeof dimensions)[number];
export const figures = ['cost', 'requests', 'tokens', 'errors'] as const;
export type Figure = (typeof figures)[number];

export const dimensionOf: Readonly<Record<Dimension, UsageDimension>> = {
  model: 'MODEL',
  provider: 'PROVIDER',
  capability: 'CAPABILITY',
  tag: 'TAG',
  user: 'END_USER',
  member: 'MEMBER',
  key: 'KEY',
};

export const dimensionTitles: Readonly<Record<Dimension, string>> = {
  model: 'Model',
  provider: 'Provider',
  capability: 'Capability',
  tag: 'Tag',
  user: 'End user',
  member: 'Member',
  key: 'Key',
};

/** The filters have the names that they have in Usage Logs. */
export interface AnalyticsFilters {
  readonly model?: string;
  readonly modelContains?: string;
  readonly provider?: string;
  readonly capability?: string;
  /** `name=value`, or a name alone. */
  readonly tag?: string;
  readonly endUser?: string;
  /** The user who owned the key. */
  readonly member?: string;
  readonly key?: string;
  readonly status?: RequestStatus;
  readonly errors?: true;
  readonly errorCode?: string;
}

export interface AnalyticsSearch extends AnalyticsFilters {
  /** A named range, or `custom`: `from` and `to`. */
  readonly range?: RangeName | 'custom';
  readonly from?: string;
  readonly to?: string;
  readonly by?: Dimension;
  readonly figure?: Figure;
}

export function analyticsSearch(input: UntrustedSearch): AnalyticsSearch {
  return {
    range: isRangeName(input.range) ? input.range : oneOf(['custom'], input.range),
    from: validTime(input.from),
    to: validTime(input.to),
    by: oneOf(dimensions, input.by),
    figure: oneOf(figures, input.figure),
    model: nonEmptyText(input.model),
    modelContains: nonEmptyText(input.modelContains),
    provider: nonEmptyText(input.provider),
    capability: nonEmptyText(input.capability),
    tag: nonEmptyText(input.tag),
    endUser: nonEmptyText(input.endUser),
    member: nonEmptyText(input.member),
    key: nonEmptyText(input.key),
    status: oneOf(statuses, input.status),
    errors: input.errors === true ? true : undefined,
    errorCode: nonEmptyText(input.errorCode),
  };
}

/** The filters alone, for a link to Usage Logs and for clearing them. */
export function filtersOf(search: AnalyticsSearch): AnalyticsFilters {
  const { range: _range, from: _from, to: _to, by: _by, figure: _figure, ...filters } = search;
  return filters;
}

/** The search of Usage Logs for the same requests. */
export function logSearch(
  search: AnalyticsSearch,
  { from, to }: { readonly from: string; readonly to: string },
  narrowing: AnalyticsFilters = {},
): AnalyticsFilters & { readonly from: string; readonly to: string } {
  return { ...filtersOf(search), ...narrowing, from, to };
}
