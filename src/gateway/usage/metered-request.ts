import type { ProtocolName } from '../../protocols/canonical/protocol.ts';
import type { Call, RequestDependencies, Tags } from '../call.ts';
import { FallbackLimits } from '../limits/fallback-limits.ts';
import type { Reservation } from '../limits/limit-store.ts';
import type { RequestTrace } from './request-trace.ts';
import type { RoutingDecision } from '../routing/selection/routing-decision.ts';
import type { Target } from '../routing/target.ts';

/** The properties of an admitted request. */
export interface MeteredRequest {
  /** The first target. */
  readonly target: Target;
  readonly capability: string;
  /** The client's protocol of text generation; null for other capabilities. */
  readonly protocol: ProtocolName | null;
  readonly requestedModel: string;
  /** As in `BoundedRequest`. */
  readonly routedName: string;
  /** The configured route that it named directly or by an alias; empty for none. */
  readonly routeName: string;
  readonly streamed: boolean;
  readonly endUser: string | null;
  /** The client's tags; null for none. */
  readonly tags: Tags | null;
  /** Null for a request that is in no group. */
  readonly trace: RequestTrace | null;
  /** How its targets were selected; null where it has one. */
  readonly decision: RoutingDecision | null;
  /** Estimated. */
  readonly inputTokens: number;
}

/** Marks the begin record of a request that is run again if the process dies. */
export function rerunMember({ rerunBeganAt }: Call): string {
  return rerunBeganAt === undefined ? '' : ',"rerun":true';
}

/** Null where its key has no limits of models. */
export function fallbackLimitsOf(
  { limits }: RequestDependencies,
  { key }: Call,
  { capability, requestedModel, routedName, target: { model } }: MeteredRequest,
  reservation: Reservation,
): FallbackLimits | null {
  if (!key.partLimits || key.partLimits.models.size === 0) return null;
  return new FallbackLimits(limits, key, { capability, requestedModel, routedName, model }, reservation);
}
