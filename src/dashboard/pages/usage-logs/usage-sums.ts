import type { Series } from '../../design/chart.tsx';
import { hueOf } from '../../design/hue.ts';
import type { UsageChartsQuery } from '../../generated/graphql.ts';
import type { chartsBy, figures } from './search.ts';

export type Figure = (typeof figures)[number];
type Group = UsageChartsQuery['usage']['groups'][number];

/** More series than there are colours say nothing: the rest is one. */
const MAX_SERIES = 7;
const OTHERS = 'Others';

/** Of one model or key over the whole range. */
export interface UsageSum {
  readonly name: string;
  readonly requests: number;
  readonly tokens: number;
  /** USD. */
  readonly cost: number;
}

/** The largest of the figure first. */
export function sumsOf(groups: readonly Group[], by: (typeof chartsBy)[number], figure: Figure): UsageSum[] {
  const sums = new Map<string, UsageSum>();
  for (const group of groups) {
    const name = nameOf(group, by);
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

/** @param at where the intervals of the range begin */
export function seriesOf(
  groups: readonly Group[],
  sums: readonly UsageSum[],
  {
    by,
    figure,
    at,
  }: { readonly by: (typeof chartsBy)[number]; readonly figure: Figure; readonly at: readonly string[] },
): Series[] {
  const places = new Map(at.map((each, index) => [Date.parse(each), index]));
  const own = sums.slice(0, MAX_SERIES).map(({ name }) => name);
  const lines = new Map<string, number[]>([...own, OTHERS].map((name) => [name, at.map(() => 0)]));
  for (const group of groups) {
    const line = lines.get(nameOf(group, by)) ?? lines.get(OTHERS);
    const place = places.get(Date.parse(group.start ?? ''));
    if (line !== undefined && place !== undefined) line[place] = (line[place] ?? 0) + amountOf(group, figure);
  }
  return [...lines].flatMap(([name, values]) =>
    name !== OTHERS || sums.length > MAX_SERIES
      ? [{ name, colour: name === OTHERS ? 'var(--color-edge)' : hueOf(name), values }]
      : [],
  );
}

function nameOf({ model, apiKey }: Group, by: (typeof chartsBy)[number]): string {
  return by === 'model' ? model || 'No model' : (apiKey?.name ?? 'Dashboard');
}

function amountOf(group: Group, figure: Figure): number {
  if (figure === 'tokens') return tokensOf(group);
  return figure === 'requests' ? group.usage.requests : Number(group.usage.cost.amount);
}

function tokensOf({ usage }: Group): number {
  return usage.inputTokens + usage.outputTokens;
}
