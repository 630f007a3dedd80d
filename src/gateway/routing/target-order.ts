import { createHash } from 'node:crypto';
import { costNano } from '../../catalogue/prices/price.ts';
import { tokenUsage } from '../../catalogue/prices/priced-usage.ts';
import type { ResolvedRoute, ResolvedTarget } from './resolved-route.ts';
import type { Target } from './target.ts';

/** Properties of a request before it is sent. Tokens are estimates. */
export interface RequestFacts {
  /** The user or key that stays at one target under `sticky`. */
  readonly stickyTo: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A route's targets in the order of attempts: healthy ones first, then those that cool down. */
export function orderTargets(
  plan: ResolvedRoute,
  facts: RequestFacts,
  random: () => number = Math.random,
): readonly Target[] {
  if (plan.listed.length === 1) return plan.listed;
  const ranked = rank(plan, facts, random);
  if (!ranked.some((route) => route.health.avoided)) return ranked;
  const avoided = ranked.filter((route) => route.health.avoided);
  const soonest = avoided.toSorted((a, b) => a.health.availableInMs - b.health.availableInMs);
  return [...ranked.filter((route) => !route.health.avoided), ...soonest];
}

function rank(plan: ResolvedRoute, facts: RequestFacts, random: () => number): readonly Target[] {
  const { targets, order } = plan;
  if (plan.sticky) return byScore(targets, ({ route, weight }) => lot(weight, hashed(facts.stickyTo, route)));
  if (order === 'weighted') return byScore(targets, ({ weight }) => lot(weight, random()));
  if (order === 'price') return byScore(targets, ({ route }) => price(route, facts));
  if (order === 'latency')
    return byScore(targets, ({ route: { health } }) => health.firstTokenMs ?? (health.explored ? Infinity : -1));
  if (order === 'throughput')
    return byScore(
      targets,
      ({ route: { health } }) => -(health.tokensPerSecond ?? (health.explored ? -Infinity : Infinity)),
    );
  return plan.listed;
}

/** Lowest first; equal scores keep the configured order. */
function byScore(targets: readonly ResolvedTarget[], score: (target: ResolvedTarget) => number): Target[] {
  return targets
    .map((weighted) => ({ route: weighted.route, score: score(weighted) }))
    .toSorted((a, b) => a.score - b.score)
    .map(({ route }) => route);
}

/**
 * A weighted random key: the target with the lowest is first in proportion to its weight. Source: Efraimidis and
 * Spirakis, 2006.
 */
function lot(weight: number, uniform: number): number {
  return weight === 0 ? Infinity : -Math.log(1 - uniform) / weight;
}

/** From 0 to 1, equal for the same user and target in every process. */
function hashed(user: string, route: Target): number {
  const digest = createHash('sha256').update(`${user}\n${route.connection.id}\n${route.model}`).digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}

/** Estimated cost of the request in nano-USD; null where no price is known. */
export function estimatedCost({ rates, isUnpriced }: Target, facts: RequestFacts): bigint | null {
  if (rates === null) return isUnpriced ? null : 0n;
  return costNano(rates, tokenUsage(facts.inputTokens, facts.outputTokens));
}

/** Unpriced targets sort last, unbilled ones first. */
function price(route: Target, facts: RequestFacts): number {
  const cost = estimatedCost(route, facts);
  return cost === null ? Infinity : Number(cost);
}
