import type { SluiceError } from '../../errors/index.ts';
import type { Attempt } from './attempt.ts';
import type { CacheUse } from '../cache/cache-use.ts';
import type { Call, RequestDependencies, Tags } from '../call.ts';
import type { Answer, Capability, StreamRelayOptions } from '../capabilities/capability.ts';
import { Metering } from '../usage/metering.ts';
import type { CapabilityMetrics } from '../metrics/metrics.ts';
import type { Guard } from '../moderation-guard/guard.ts';
import type { Opening } from './opening.ts';
import type { AnswerHead } from '../client-response.ts';
import type { TargetSelection } from '../routing/target-selection.ts';
import type { ResolvedRoute } from '../routing/resolved-route.ts';
import type { Target } from '../routing/target.ts';
import { LivePublisher } from './live-publisher.ts';

/** The status recorded for a client disconnect: nginx's "client closed request". */
export const CLIENT_CLOSED_REQUEST = 499;

/**
 * `opening`: parsed and admitted. `beginning`: its begin record is being written. `trying`: sent to one target after
 * another until one responds, and relayed. `settling`: its settle record is being written. `ended`: nothing follows.
 */
export type Phase = 'opening' | 'beginning' | 'trying' | 'settling' | 'ended';

/** The state of an admitted request. */
export interface Work<Facts> {
  readonly plan: ResolvedRoute;
  readonly selection: TargetSelection;
  /** The first target. */
  readonly route: Target;
  /** The parts of the request that its cost depends on. */
  readonly facts: Facts;
  readonly streamed: boolean;
  readonly wantsUsage: boolean;
  readonly metering: Metering;
  readonly publisher: LivePublisher;
  readonly cache: CacheUse | null;
  readonly guard: Guard | null;
}

/** What is sent to the client once the settle record is on disk. */
export type Release =
  | { readonly error: SluiceError }
  | {
      readonly last: Buffer | null;
      readonly bytes: Buffer;
      /** Null where it is not known before the headers are sent. */
      readonly costNano: bigint | null;
      readonly contentType?: string | undefined;
    }
  | { readonly disconnected: true };

/** Creates the state of an admitted request; its metering begins and settles it. */
export function workOf<Request, Facts>(
  parts: RequestDependencies,
  capability: Capability<Request, Facts>,
  call: Call,
  metrics: CapabilityMetrics,
  opening: Opening<Request>,
): Work<Facts> {
  const { request, requestedModel, plan, selection, inputTokens, reservation, cache, guard } = opening;
  const route = cache?.hit ?? opening.route;
  const streamed = capability.streamed(request);
  const endUser = capability.endUser(request);
  const tags = tagsOf(call.tags, capability.tags?.(request) ?? null);
  const isBounded = capability.isBounded?.(request) ?? false;
  const admitted = {
    route,
    capability: capability.name,
    requestedModel,
    routeName: plan.routeName,
    streamed,
    endUser,
    tags,
    inputTokens,
    isBounded,
  };
  const metering = new Metering(parts, call, metrics, admitted, reservation);
  const wantsUsage = capability.wantsUsage(request);
  const publisher = new LivePublisher(parts, call, route.model);
  const facts = capability.facts(request);
  return { plan, selection, route, facts, streamed, wantsUsage, metering, publisher, cache, guard };
}

/** Tags of the header take precedence. */
function tagsOf(header: Tags | null, body: Tags | null): Tags | null {
  if (header === null && body === null) return null;
  const all = { ...body, ...header };
  return Object.keys(all).length === 0 ? null : all;
}

/** Publishes the updates of an unstreamed response and continues; with moderation, once it has passed. */
export function publishAnswer({ guard, publisher }: Work<unknown>, answer: Answer, then: () => void): void {
  if (guard !== null) {
    guard.onAnswer(answer.updates(), publisher, then);
    return;
  }
  if (publisher.isWatched) for (const update of answer.updates()) publisher.publish(update);
  then();
}

export function relayOptions<Facts>(work: Work<Facts>, route: Target, contentType: string): StreamRelayOptions<Facts> {
  const { facts, wantsUsage, metering, publisher, guard } = work;
  return {
    provider: route.connection.provider,
    contentType,
    facts,
    wantsUsage,
    pricing: metering,
    watched: () => guard?.moderatesOutput === true || publisher.isWatched,
    watch: (update) => (guard === null ? publisher.publish(update) : guard.onUpdate(update, publisher)),
  };
}

/** The target-specific metadata of a response. `costNano` where the cost is known before the end. */
export function headOf(
  { cache, guard, metering }: Work<unknown>,
  { connection, model, isUnpriced }: Target,
  attempt: Attempt | null,
): Omit<AnswerHead, 'contentType' | 'contentLength'> {
  const usage = attempt?.relay?.usageAtHead ?? null;
  return {
    provider: connection.provider,
    model,
    dropped: attempt?.dropped ?? [],
    cache: cache && (cache.hit ? 'hit' : 'miss'),
    moderation: guard?.annotation ?? null,
    costNano: usage === null ? null : metering.costOf(usage),
    priced: !isUnpriced || cache?.hit != null,
  };
}
