import type { Amount } from '../../design/series.ts';
import type { UsageChartsQuery } from '../../generated/graphql.ts';
import type { chartsBy, figures } from './search.ts';

export type Figure = (typeof figures)[number];
type Group = UsageChartsQuery['usage']['groups'][number];

/** Totals of one model or key over the full range. */
export interface UsageSum {
  readonly name: string;
  readonly requests: number;
  readonly tokens: number;
  /** USD. */
  readonly cost: number;
}

/** Sorted by the metric, largest first. */
export function sumsOf(groups: readonly Group[], by: (typeof chartsBy)[number], figure: Figure): UsageSum[] {
  const sums = new Map<string, UsageSum>();
  const nameOf = nameResolver(groups, by);
  for (const group of groups) {
    const name = nameOf(group);
    const { requests, tokens, cost } = sums.get(name) ?? { requests: 0, tokens: 0, cost: 0 };
    sums.set(name, {
      name,
      requests: requests + group.usage.requests,
      tokens: tokens + tokensOf(group),
      cost: cost + Number(group.usage.cost.amount),
    });
  }
  return [...sums.values()].toSorted((one, other) => other[figure] - one[figure] || other.requests - one.requests);
}

/** The amounts per interval. */
export function amountsOf(groups: readonly Group[], by: (typeof chartsBy)[number], figure: Figure): Amount[] {
  const nameOf = nameResolver(groups, by);
  return groups.map((group) => ({ name: nameOf(group), start: group.start, amount: amountOf(group, figure) }));
}

/** Keys with the same name are distinguished by their hints. */
function nameResolver(groups: readonly Group[], by: (typeof chartsBy)[number]): (group: Group) => string {
  if (by === 'model') return ({ model }) => model || 'Unknown model';
  const idOfName = new Map<string, string>();
  const sharedNames = new Set<string>();
  for (const { apiKey } of groups) {
    if (!apiKey) continue;
    const id = idOfName.get(apiKey.name) ?? apiKey.id;
    if (id !== apiKey.id) sharedNames.add(apiKey.name);
    idOfName.set(apiKey.name, id);
  }
  return ({ apiKey }) => {
    if (!apiKey) return 'Dashboard';
    return sharedNames.has(apiKey.name) ? `${apiKey.name} (${apiKey.hint})` : apiKey.name;
  };
}

function amountOf(group: Group, figure: Figure): number {
  if (figure === 'tokens') return tokensOf(group);
  return figure === 'requests' ? group.usage.requests : Number(group.usage.cost.amount);
}

function tokensOf({ usage }: Group): number {
  return usage.inputTokens + usage.outputTokens;
}
