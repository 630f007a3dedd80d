import { csvOf } from '../../data/csv.ts';
import type { AnalyticsDimensionsFragment, AnalyticsGroupsQuery } from '../../generated/graphql.ts';
import { groupId } from './group-names.ts';
import type { Dimension } from './search.ts';

const titles = [
  'requests',
  'errors',
  'input_tokens',
  'output_tokens',
  'cached_tokens',
  'cost_usd',
  'output_speed_p50_tokens_per_second',
  'output_speed_p95_tokens_per_second',
  'prompt_cache_savings_usd',
  'response_cache_savings_usd',
  'previous_requests',
  'previous_cost_usd',
] as const;

/** The table as RFC 4180. Previous values are empty if the server omitted them. */
export function groupsCsv(
  { groups, before }: AnalyticsGroupsQuery,
  by: Dimension,
  nameOf: (group: AnalyticsDimensionsFragment) => string,
): string {
  const earlier = new Map(before.groups.map((group) => [groupId(group), group.usage]));
  const lines = groups.groups.map((group) => {
    const { requests, errors, inputTokens, outputTokens, cachedTokens, cost, outputSpeed } = group.usage;
    const { promptCacheSavings, responseCacheSavings } = group.usage;
    const previous = earlier.get(groupId(group));
    return [
      nameOf(group),
      requests,
      errors,
      inputTokens,
      outputTokens,
      cachedTokens,
      cost.amount,
      rounded(outputSpeed?.p50),
      rounded(outputSpeed?.p95),
      promptCacheSavings.amount,
      responseCacheSavings.amount,
      previous?.requests ?? (before.truncated ? '' : 0),
      previous?.cost.amount ?? (before.truncated ? '' : '0'),
    ];
  });
  return csvOf([[by, ...titles], ...lines]);
}

/** An estimate needs no more digits. Empty without one. */
function rounded(value: number | undefined): number | '' {
  return value === undefined ? '' : Math.round(value * 10) / 10;
}
