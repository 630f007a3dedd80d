import type { ResolvedRoute, TargetOrder } from './resolved-route.ts';
import type { Target } from './target.ts';
import type { BreakerState } from './target-health.ts';
import { estimatedCost, orderTargets, type RequestFacts } from './target-order.ts';

/** Where a request would be tried, and why there. */
export interface PreviewStep {
  /** Canonical: `provider/model`. */
  readonly model: string;
  readonly provider: string;
  /** Whose key is used: the operator's or the account's own. */
  readonly ownConnection: boolean;
  /** Its part of all weights, from 0 to 1. */
  readonly share: number;
  readonly breaker: BreakerState;
  /** When it may be worth trying again; 0 for now. */
  readonly availableInMs: number;
  readonly firstTokenMs: number | null;
  readonly tokensPerSecond: number | null;
  /** What the request may cost there, in nano-USD; null where no price is known. */
  readonly costNano: bigint | null;
  /** For people. */
  readonly reason: string;
}

export interface RoutePreview {
  readonly name: string;
  readonly order: TargetOrder;
  readonly sticky: boolean;
  readonly parameters: ResolvedRoute['parameters'];
  readonly retries: number;
  readonly cacheSeconds: number | null;
  /** In the order in which they would be tried now. */
  readonly steps: readonly PreviewStep[];
  /** Where it goes if its input is too long for them. */
  readonly larger: string | null;
}

export interface RoutePreviewer {
  /** Undefined for a name that nothing serves. */
  preview(name: string, accountId: string, facts: RequestFacts): RoutePreview | undefined;
}

/** Says what a plan would do with a request now. Sends nothing, and changes nothing. */
export function previewPlan(plan: ResolvedRoute, facts: RequestFacts): RoutePreview {
  const weights = plan.targets.reduce((sum, { weight }) => sum + weight, 0);
  const steps = orderTargets(plan, facts).map((route, position) => {
    const { health, model, connection } = route;
    const weight = plan.targets.find((target) => target.route === route)?.weight ?? 0;
    return {
      model,
      provider: connection.provider,
      ownConnection: connection.id !== connection.provider,
      share: weights === 0 ? 0 : weight / weights,
      breaker: health.breaker,
      availableInMs: Math.ceil(health.availableInMs),
      firstTokenMs: health.firstTokenMs,
      tokensPerSecond: health.tokensPerSecond,
      costNano: estimatedCost(route, facts),
      reason: reasonFor(plan, route, position),
    };
  });
  const { name, order, sticky, parameters, retries, cacheMs, larger } = plan;
  const cacheSeconds = cacheMs === null ? null : cacheMs / 1_000;
  return { name, order, sticky, parameters, retries, cacheSeconds, steps, larger: larger?.model ?? null };
}

function reasonFor(plan: ResolvedRoute, route: Target, position: number): string {
  const { health } = route;
  if (plan.targets.length === 1) return `the only target; tried again up to ${plan.retries} times`;
  if (health.avoided) return `kept for last: ${cooling(route)}`;
  const place =
    position === 0 ? 'tried first' : `tried when ${position === 1 ? 'the one' : `the ${position}`} before failed`;
  return `${place}: ${plan.sticky ? 'the lot of this end user, by weight' : orderReason(plan.order, route)}`;
}

function orderReason(order: TargetOrder, { health }: Target): string {
  if (order === 'weighted') return 'drawn at random, by weight';
  if (order === 'price') return 'by what the request may cost';
  if (order === 'latency')
    return health.firstTokenMs === null
      ? 'not measured yet, so it comes first'
      : `its first token takes ${Math.round(health.firstTokenMs)} ms`;
  if (order === 'throughput')
    return health.tokensPerSecond === null
      ? 'not measured yet, so it comes first'
      : `it makes ${Math.round(health.tokensPerSecond)} tokens a second`;
  return 'as listed';
}

function cooling({ health }: Target): string {
  const seconds = Math.ceil(health.availableInMs / 1_000);
  return health.breaker === 'closed'
    ? `its provider limits requests for ${seconds} s more`
    : `its breaker is ${health.breaker} for ${seconds} s more`;
}
