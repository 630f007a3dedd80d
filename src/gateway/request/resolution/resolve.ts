import { SluiceError, toSluiceError } from '../../../errors/index.ts';
import type { AnswerRecording } from '../../answer-recording.ts';
import type { CacheUse } from '../../cache/cache-use.ts';
import { requesterOf, type Tags } from '../../call.ts';
import type { Capability } from '../../capabilities/capability.ts';
import { assertMemberNames } from '../../capabilities/member-names.ts';
import { outlineOf } from '../../capabilities/outline.ts';
import type { KeyRecord } from '../../keys/key-directory.ts';
import { buildReservation } from '../../usage/build-reservation.ts';
import { type Reservation, boundsFor } from '../../limits/limit-store.ts';
import type { ModerationGate } from '../../moderation/moderation-gate.ts';
import { allowedTargets, refuseAllTargets, unknownModel } from '../../policy/allowed-targets.ts';
import { checkForwardedUrls } from '../../policy/forwarded-urls.ts';
import { fetchedBy, inlineUrls } from '../../policy/inlined-urls.ts';
import { refuseSelecting } from '../../policy/selecting-members.ts';
import { loadReasoning } from '../../reasoning/account-reasoning.ts';
import { textBytesOf, valueOf, type RequestInput, estimateTokens } from '../../request-input.ts';
import type { ResolvedRoute } from '../../routing/resolved-route.ts';
import type { Target } from '../../routing/target.ts';
import { TargetSelection } from '../../routing/selection/target-selection.ts';
import { mergeTags } from '../../usage/merge-tags.ts';
import { traceWithMetadata, type RequestTrace } from '../../usage/request-trace.ts';
import { withRequestedModel } from '../../usage/rejected-request.ts';
import { recordAnswer } from '../../record-answer.ts';
import { fullTextUses, noFullTextUses, type ParsedRequest } from './full-text-uses.ts';
import type { RequestContext } from '../request-context.ts';

/** A request whose model, targets and price bounds are known. It holds nothing of the body but `summary`. */
export interface ResolvedRequest<Summary> {
  readonly requestedModel: string;
  readonly route: ResolvedRoute;
  readonly selection: TargetSelection;
  /** The first target. */
  readonly target: Target;
  /** What the cost and the response depend on. */
  readonly summary: Summary;
  readonly streamed: boolean;
  /** Whether its reservation bounds the complete response. */
  readonly isBounded: boolean;
  readonly wantsUsage: boolean;
  readonly endUser: string | null;
  readonly tags: Tags | null;
  /** Null for a request that is in no group. */
  readonly trace: RequestTrace | null;
  /** Estimated. */
  readonly inputTokens: number;
  readonly reservation: Reservation;
  /** Null where caching is not enabled. */
  readonly cache: CacheUse | null;
  /** Null where the response is not stored. */
  readonly recording: AnswerRecording | null;
  /** Null without moderation. */
  readonly gate: ModerationGate | null;
  /** Resolves when stored reasoning is loaded; undefined where there is none to load. */
  readonly loadingReasoning: Promise<void> | undefined;
}

/** A request that links to content which has to be fetched before it is resolved. */
export interface LinkedRequest<Summary> {
  /** As it is without that content, and without what needs the complete text. */
  readonly preliminary: ResolvedRequest<Summary>;
  /** @returns the body to resolve instead */
  fetchLinked(): Promise<Buffer>;
}

/**
 * Parses and routes a request.
 * @throws SluiceError of status 400, 403 or 404
 */
export function resolve<Request, Summary>(
  context: RequestContext<Request, Summary>,
  input: RequestInput,
): ResolvedRequest<Summary> | LinkedRequest<Summary> {
  const { dependencies, capability, call } = context;
  const { answered } = call;
  if (answered === undefined) requireCapability(call.key, capability.name);
  const outline = capability.outlined === true && Buffer.isBuffer(input) ? outlineOf(input) : null;
  const value = outline === null ? (capability.takeValue?.(input) ?? valueOf(input)) : outline.value;
  assertMemberNames(input, capability.members);
  const requester = requesterOf(call);
  const requestedModel = capability.modelName(value, dependencies.router, requester);
  try {
    const route = answered ?? dependencies.router.resolve(requestedModel, requester);
    if (!route) throw unknownModel(call.key, dependencies.router, requestedModel, requester);
    const request = capability.parse(value);
    const parsed = { input, outline, request, requestedModel, route };
    if (answered !== undefined) {
      context.body.setParsed({ request, outline });
      return resolveTargets(context, parsed);
    }
    const { forwarded } = dependencies;
    const fetchLinked =
      forwarded && checkForwardedUrls(forwarded, value)
        ? inlineUrls(forwarded, route, fetchedBy(capability, request), input, {
            accountId: call.key.accountId,
            signal: () => context.signal.toAbortSignal(),
            paths: call.mediaPaths,
          })
        : undefined;
    if (call.asOperator !== true) refuseSelecting(call.key, route, capability.name, value);
    if (call.key.zeroRetention === true) refuseRetained(capability, request);
    if (fetchLinked) return { preliminary: resolveTargets(context, parsed, true), fetchLinked };
    context.body.setParsed({ request, outline });
    return resolveTargets(context, parsed);
  } catch (error) {
    throw withRequestedModel(toSluiceError(error), { requestedModel, target: null });
  }
}

function resolveTargets<Request, Summary>(
  { dependencies, capability, call }: RequestContext<Request, Summary>,
  { input, outline, request, requestedModel, route }: ParsedRequest<Request>,
  isPreliminary = false,
): ResolvedRequest<Summary> {
  const { key } = call;
  const inputTokens = capability.inputTokens?.(request) ?? estimateTokens(textBytesOf(input));
  const outputTokens = capability.outputReserve(request, route.listed[0]?.maxOutputTokens ?? null);
  const endUser = capability.endUser(request);
  const metadata = capability.tags?.(request) ?? null;
  const selectionInput = { stickyTo: endUser ?? key.id, inputTokens, outputTokens };
  const conversation = conversationOf({ capability, call }, route, request, inputTokens);
  const selection = new TargetSelection(
    route,
    { ...selectionInput, conversation },
    allowedTargets(call, route),
    conversation === null ? null : dependencies.affinity.of(key.accountId, route.name, conversation),
  );
  const asked = { capability: capability.name, requestedModel, routedName: route.name };
  const target = selection.first ?? refuseAllTargets(call, route, { ...asked, router: dependencies.router });
  const bounds = boundsFor(key, { ...asked, model: target.model });
  const { cache, gate } = isPreliminary
    ? noFullTextUses
    : fullTextUses({ dependencies, capability, call }, { input, outline, request, route });
  const expected = { input: inputTokens, output: outputTokens, unread: outline?.cutBytes ?? 0 };
  const beganAt = call.rerunBeganAt ?? dependencies.clock.now();
  return {
    requestedModel,
    route,
    selection,
    target,
    summary: capability.summarize(request),
    streamed: capability.streamed(request),
    isBounded: capability.isBounded?.(request) ?? false,
    wantsUsage: capability.wantsUsage(request),
    endUser,
    tags: mergeTags(call.tags, metadata),
    trace: traceWithMetadata(call.trace ?? null, metadata),
    inputTokens,
    reservation:
      call.answered === undefined
        ? buildReservation(capability, call, route, request, expected, bounds, beganAt)
        : { eventId: call.eventId, at: beganAt, bounds: [], tokens: 0, costNano: 0n },
    cache,
    recording: isPreliminary ? null : recordAnswer(dependencies, capability, call, request, input, outline !== null),
    gate,
    loadingReasoning: isPreliminary
      ? undefined
      : loadReasoning(dependencies.reasoning, key, route, (isComplete) => {
          const read = isComplete && outline !== null ? capability.parse(valueOf(input)) : request;
          return capability.messages?.(read) ?? [];
        }),
  };
}

/** Null where the targets are ordered without regard to conversations. */
function conversationOf<Request, Summary>(
  { capability, call }: Pick<RequestContext<Request, Summary>, 'capability' | 'call'>,
  route: ResolvedRoute,
  request: Request,
  inputTokens: number,
): string | null {
  if (!route.keepsConversations || capability.conversation === undefined) return null;
  return call.session == null ? capability.conversation(request, inputTokens) : `session ${call.session}`;
}

/** @throws SluiceError capability_not_in_plan */
function requireCapability({ plan: { id, capabilities } }: KeyRecord, capability: string): void {
  if (capabilities === null || capabilities.has(capability)) return;
  throw new SluiceError('capability_not_in_plan', { values: { plan: id, capability } });
}

/** @throws SluiceError zero_retention */
function refuseRetained<Request, Summary>(capability: Capability<Request, Summary>, request: Request): void {
  const retained = capability.retained?.(request) ?? null;
  if (retained === null) return;
  const { what, next, param } = retained;
  throw new SluiceError('zero_retention', { values: { what, next }, ...(param !== undefined && { param }) });
}
