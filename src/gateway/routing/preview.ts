import type { ResolvedRoute, TargetOrder } from './resolved-route.ts';
import type { Target } from './target.ts';
import type { BreakerState } from './health/target-health.ts';
import { estimatedCost, orderTargets, type RequestProperties } from './selection/target-order.ts';

/** One target of a preview, with the reason for its position. */
export interface PreviewStep {
  /** Canonical: `provider/model`. */
  readonly model: string;
  readonly provider: string;
  /** Whether the account's own connection is used, not the operator's. */
  readonly ownConnection: boolean;
  /** Share of the total weight, from 0 to 1. */
  readonly share: number;
  readonly breaker: BreakerState;
  /** Milliseconds until it is available; 0 for now. */
  readonly availableInMs: number;
  readonly firstTokenMs: number | null;
  readonly tokensPerSecond: number | null;
  /** Estimated cost in nano-USD; null where no price is known. */
  readonly costNano: bigint | null;
  /** Display text. */
  readonly reason: string;
}

export interface RoutePreview {
  readonly name: string;
  readonly order: TargetOrder;
  readonly sticky: boolean;
  readonly parameters: ResolvedRoute['parameters'];
  readonly retries: number;
  readonly cacheSeconds: number | null;
  /** In the current order of attempts. */
  readonly steps: readonly PreviewStep[];
  /** The target for an input that is too long for the others. */
  readonly larger: string | null;
}

export interface RoutePreviewer {
  /** Undefined for a name that is not served. */
  preview(name: string, accountId: string, properties: RequestProperties): RoutePreview | undefined;
}

/** Previews how a route would handle a request now, without side effects. */
export function previewRoute(route: ResolvedRoute, properties: RequestProperties): RoutePreview {
  const weights = route.targets.reduce((sum, { weight }) => sum + weight, 0);
  const steps = orderTargets(route, properties).map((target, position) => {
    const { health, model, connection } = target;
    const weight = route.targets.find((listed) => listed.target === target)?.weight ?? 0;
    return {
      model,
      provider: connection.provider,
      ownConnection: connection.id !== connection.provider,
      share: weights === 0 ? 0 : weight / weights,
      breaker: health.breaker,
      availableInMs: Math.ceil(health.availableInMs),
      firstTokenMs: health.firstTokenMs,
      tokensPerSecond: health.tokensPerSecond,
      costNano: estimatedCost(target, properties),
      reason: reasonFor(route, target, position),
    };
  });
  const { name, order, sticky, parameters, retries, cacheMs, larger } = route;
  const cacheSeconds = cacheMs === null ? null : cacheMs / 1_000;
  return { name, order, sticky, parameters, retries, cacheSeconds, steps, larger: larger?.model ?? null };
}

function reasonFor(route: ResolvedRoute, target: Target, position: number): string {
  const { health } = target;
  if (route.targets.length === 1) return `the only target; retried up to ${route.retries} times`;
  if (health.isAvoided) return `last: ${cooling(target)}`;
  const place = position === 0 ? 'first' : `after ${position} failed ${position === 1 ? 'target' : 'targets'}`;
  return `${place}: ${route.sticky ? 'by hash of the end user and weight' : orderReason(route.order, target)}`;
}

function orderReason(order: TargetOrder, { health }: Target): string {
  if (order === 'weighted') return 'random, by weight';
  if (order === 'price') return 'by estimated cost';
  if (order === 'latency')
    return health.firstTokenMs === null
      ? 'not measured yet, preferred'
      : `first token in ${Math.round(health.firstTokenMs)} ms`;
  if (order === 'throughput')
    return health.tokensPerSecond === null
      ? 'not measured yet, preferred'
      : `${Math.round(health.tokensPerSecond)} tokens/s`;
  return 'in the configured order';
}

function cooling({ health }: Target): string {
  const seconds = Math.ceil(health.availableInMs / 1_000);
  return health.breaker === 'closed'
    ? `rate limited by its provider for ${seconds} s`
    : `circuit breaker ${health.breaker} for ${seconds} s`;
}
