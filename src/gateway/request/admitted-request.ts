import { Metering } from '../usage/metering.ts';
import { StreamReservation } from '../usage/stream-reservation.ts';
import { LivePublisher } from './publish.ts';
import type { RequestContext } from './request-context.ts';
import type { ResolvedRequest } from './resolution/resolve.ts';

/** An admitted request. It is metered, and ends by being settled. */
export interface AdmittedRequest<Summary> extends ResolvedRequest<Summary> {
  readonly metering: Metering;
  /** Null where its key has no budgets, and for an unstreamed response. */
  readonly streamReservation: StreamReservation | null;
  readonly publisher: LivePublisher;
}

/** Starts metering an admitted request, whose reservation it settles. Its begin record is written by `Metering.begin`. */
export function startMetering<Request, Summary>(
  { dependencies, call, capability, metrics }: RequestContext<Request, Summary>,
  resolved: ResolvedRequest<Summary>,
): AdmittedRequest<Summary> {
  const { requestedModel, streamed, endUser, tags, trace, inputTokens, isBounded, reservation, route } = resolved;
  const target = resolved.cache?.hit ?? resolved.target;
  const admitted = {
    target,
    capability: capability.name,
    protocol: capability.protocol ?? null,
    requestedModel,
    routedName: route.name,
    routeName: route.routeName,
    streamed,
    endUser,
    tags,
    trace,
    decision: resolved.selection.decision,
    inputTokens,
  };
  const metering = new Metering(dependencies, call, metrics, admitted, reservation);
  const isBudgeted = streamed && call.key.budgets.length > 0;
  const streamReservation = isBudgeted
    ? new StreamReservation(dependencies, call, reservation, isBounded, metering)
    : null;
  return {
    ...resolved,
    target,
    metering,
    streamReservation,
    publisher: new LivePublisher(dependencies, call, target.model),
  };
}
