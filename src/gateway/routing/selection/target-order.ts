import { createHash } from 'node:crypto';
import { costNano } from '../../../catalogue/prices/price.ts';
import { tokenUsage } from '../../../catalogue/prices/priced-usage.ts';
import type { ResolvedRoute, WeightedTarget } from '../resolved-route.ts';
import type { Target } from '../target.ts';

/** Properties of a request before it is sent. Tokens are estimates. */
export interface RequestProperties {
  /** The user or key that stays at one target under `sticky`. */
  readonly stickyTo: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The conversation that it continues; null or absent where that does not matter. */
  readonly conversation?: string | null;
}

export interface OrderOptions {
  readonly random?: () => number;
  /** Whether a target has the conversation's prompt in its cache. */
  readonly holds?: ((target: Target) => boolean) | null;
}

/** A route's targets in the order of attempts: healthy ones first, then those that cool down. */
export function orderTargets(
  route: ResolvedRoute,
  properties: RequestProperties,
  { random = Math.random, holds = null }: OrderOptions = {},
): readonly Target[] {
  if (route.listed.length === 1) return route.listed;
  const ranked = withHolderFirst(rank(route, properties, random), holds);
  if (!ranked.some((target) => target.health.isAvoided)) return ranked;
  const avoided = ranked.filter((target) => target.health.isAvoided);
  const soonest = avoided.toSorted((a, b) => a.health.availableInMs - b.health.availableInMs);
  return [...ranked.filter((target) => !target.health.isAvoided), ...soonest];
}

function rank(route: ResolvedRoute, properties: RequestProperties, random: () => number): readonly Target[] {
  const { targets, order } = route;
  if (route.sticky)
    return byScore(targets, ({ target, weight }) => weightedKey(weight, hashToFraction(properties.stickyTo, target)));
  const { conversation = null } = properties;
  if (order === 'weighted' && conversation !== null)
    return byScore(targets, ({ target, weight }) => weightedKey(weight, hashToFraction(conversation, target)));
  if (order === 'weighted') return byScore(targets, ({ weight }) => weightedKey(weight, random()));
  if (order === 'price') return byScore(targets, ({ target }) => price(target, properties));
  if (order === 'latency')
    return byScore(targets, ({ target: { health } }) => health.firstTokenMs ?? (health.isExplored ? Infinity : -1));
  if (order === 'throughput')
    return byScore(
      targets,
      ({ target: { health } }) => -(health.tokensPerSecond ?? (health.isExplored ? -Infinity : Infinity)),
    );
  return route.listed;
}

function withHolderFirst(ranked: readonly Target[], holds: OrderOptions['holds']): readonly Target[] {
  const holder = holds ? ranked.find(holds) : undefined;
  return holder === undefined ? ranked : [holder, ...ranked.filter((target) => target !== holder)];
}

/** Lowest first; equal scores keep the configured order. */
function byScore(targets: readonly WeightedTarget[], score: (target: WeightedTarget) => number): Target[] {
  return targets
    .map((weighted) => ({ target: weighted.target, score: score(weighted) }))
    .toSorted((a, b) => a.score - b.score)
    .map(({ target }) => target);
}

/**
 * A weighted random key: the target with the lowest is first in proportion to its weight. Source: Efraimidis and
 * Spirakis, 2006.
 */
function weightedKey(weight: number, uniform: number): number {
  return weight === 0 ? Infinity : -Math.log(1 - uniform) / weight;
}

/** From 0 to 1, equal for the same user or conversation and target in every process. */
function hashToFraction(id: string, target: Target): number {
  const digest = createHash('sha256').update(`${id}\n${target.connection.id}\n${target.model}`).digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}

/** Estimated cost of the request in nano-USD; null where no price is known. */
export function estimatedCost({ rates, isUnpriced }: Target, properties: RequestProperties): bigint | null {
  if (rates === null) return isUnpriced ? null : 0n;
  return costNano(rates, tokenUsage(properties.inputTokens, properties.outputTokens));
}

/** Unpriced targets sort last, unbilled ones first. */
function price(target: Target, properties: RequestProperties): number {
  const cost = estimatedCost(target, properties);
  return cost === null ? Infinity : Number(cost);
}
