import { SluiceError, toSluiceError } from '../../errors/index.ts';
import { cacheKey } from '../cache/cache-key.ts';
import { CacheUse } from '../cache/cache-use.ts';
import type { Call, RequestDependencies, PipelineDependencies } from '../call.ts';
import type { Capability } from '../capabilities/capability.ts';
import { assertMemberNames } from '../capabilities/member-names.ts';
import { outlineOf, type Outline } from '../capabilities/outline.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import { checkForwardedUrls, inlineUrls, type ForwardedUrls } from '../policy/forwarded-urls.ts';
import { buildReservation } from '../limits/build-reservation.ts';
import { boundsFor } from '../limits/limit-bound.ts';
import type { Reservation } from '../limits/limit-store.ts';
import { estimateTokens } from '../usage/metering.ts';
import { isListed, mayUseModel } from '../keys/model-directory.ts';
import { guardOf } from '../moderation-guard/guard-of.ts';
import type { Guard } from '../moderation-guard/guard.ts';
import { rejectedFor } from '../usage/rejections.ts';
import { textBytesOf, valueOf, type RequestInput } from '../request-input.ts';
import { loadReasoning } from '../reasoning/account-reasoning.ts';
import { TargetSelection } from '../routing/target-selection.ts';
import { LIST_MODELS_HINT } from '../routing/missing-model.ts';
import type { ResolvedRoute } from '../routing/resolved-route.ts';
import type { Target } from '../routing/target.ts';
import { isRestricted, spendingRestrictedError } from '../policy/restricted-spending.ts';
import { refuseSelecting } from '../policy/selecting-members.ts';
import { mustBePriced, notPricedError } from '../policy/unpriced.ts';

export interface Parsed<Request> {
  readonly request: Request;
  /** The outline that the request was parsed from; null where it was parsed completely. */
  readonly outline: Outline | null;
}

/** A parsed and routed request that is not admitted yet. */
export interface Opening<Request> extends Parsed<Request> {
  readonly requestedModel: string;
  readonly plan: ResolvedRoute;
  readonly selection: TargetSelection;
  /** The first target. */
  readonly route: Target;
  /** Estimated. */
  readonly inputTokens: number;
  readonly reservation: Reservation;
  /** Null where caching is not enabled. */
  readonly cache: CacheUse | null;
  /** Null without moderation. */
  readonly guard: Guard | null;
  /** Resolves when stored reasoning is loaded; undefined where there is none to load. */
  readonly recalling: Promise<void> | undefined;
}

/**
 * Parses and routes a request.
 * @returns a promise of the body to open instead, where linked content has to be fetched first
 * @throws SluiceError of status 400, 403 or 404
 */
export function openRequest<Request, Facts>(
  parts: RequestDependencies,
  capability: Capability<Request, Facts>,
  call: Call,
  input: RequestInput,
): Opening<Request> | Promise<Buffer> {
  const { key } = call;
  requireInPlan(key, capability.name);
  const outline = capability.outlined === true && Buffer.isBuffer(input) ? outlineOf(input) : null;
  const value = outline === null ? valueOf(input) : outline.value;
  assertMemberNames(input, capability.members);
  const accountId = call.asOperator === true ? '' : key.accountId;
  const requestedModel = capability.modelName(value, parts.router, accountId);
  try {
    return openNamed(parts, capability, call, { input, outline, value, accountId, requestedModel });
  } catch (error) {
    throw rejectedFor(toSluiceError(error), { requestedModel, target: null });
  }
}

interface Named {
  readonly input: RequestInput;
  readonly outline: Outline | null;
  /** The body or its outline. */
  readonly value: unknown;
  readonly accountId: string;
  readonly requestedModel: string;
}

function openNamed<Request, Facts>(
  parts: RequestDependencies,
  capability: Capability<Request, Facts>,
  call: Call,
  { input, outline, value, accountId, requestedModel }: Named,
): Opening<Request> | Promise<Buffer> {
  const { key } = call;
  const plan =
    parts.router.resolve(requestedModel, accountId) ??
    unknown(
      requestedModel,
      mayReveal(key, requestedModel) ? parts.router.explainModelNotFound(requestedModel, accountId) : LIST_MODELS_HINT,
    );
  const request = capability.parse(value);
  const fetching = parts.forwarded && fetchLinked(parts.forwarded, plan, value, input);
  if (fetching) return fetching;
  if (call.asOperator !== true) refuseSelecting(key, plan, capability.name, value);
  if (key.zeroRetention === true) refuseRetained(capability, request);
  const inputTokens = capability.inputTokens?.(request) ?? estimateTokens(textBytesOf(input));
  const outputTokens = capability.outputReserve(request, plan.listed[0]?.maxOutputTokens ?? null);
  const stickyTo = capability.endUser(request) ?? key.id;
  const expected = { input: inputTokens, output: outputTokens, unread: outline?.cutBytes ?? 0 };
  const selection = new TargetSelection(plan, { stickyTo, inputTokens, outputTokens }, usable(call, plan));
  const route = selection.first ?? refuse(call, plan, capability.name, requestedModel);
  const ttlMs = key.zeroRetention === true ? 0 : (call.cacheMs ?? key.cacheMs ?? plan.cacheMs ?? 0);
  const guarded = plan.moderation !== null || key.moderation !== null;
  // Moderation and the cache need the complete text.
  const complete = outline !== null && (ttlMs !== 0 || guarded) ? capability.parse(valueOf(input)) : request;
  const cache = ttlMs === 0 ? null : cacheUse(parts, capability, call, { plan, request: complete, input }, ttlMs);
  const guard = guarded ? guardOf(parts, capability, call, plan, complete) : null;
  const bounds = boundsFor(key, { capability: capability.name, model: route.model, requestedModel });
  return {
    request,
    outline,
    requestedModel,
    plan,
    selection,
    route,
    inputTokens,
    reservation: buildReservation(capability, call, plan, request, expected, bounds, parts.clock.now()),
    cache,
    guard,
    recalling: loadReasoning(parts.reasoning, key, plan, () => capability.callsWithoutReasoning?.(request) ?? []),
  };
}

/** Looks up the cache and reserves limits. @returns a promise where either is remote */
export function reserve<Request>(
  { limits }: PipelineDependencies,
  { key, response }: Call,
  { cache, route, reservation, recalling }: Opening<Request>,
): Promise<unknown> | undefined {
  response.boundBy?.(reservation.bounds);
  const looking = cache?.lookUp();
  const reserving = limits.reserve(key, route.model, reservation);
  if (looking === undefined && reserving === undefined && recalling === undefined) return undefined;
  return Promise.all([reserving, looking, recalling]);
}

/** @throws SluiceError outbound_refused | invalid_value */
function fetchLinked(
  urls: ForwardedUrls,
  plan: ResolvedRoute,
  value: unknown,
  input: RequestInput,
): Promise<Buffer> | undefined {
  return checkForwardedUrls(urls, value) ? inlineUrls(urls, plan, input) : undefined;
}

/** @throws SluiceError capability_not_in_plan */
function requireInPlan({ plan: { id, capabilities } }: KeyRecord, capability: string): void {
  if (capabilities === null || capabilities.has(capability)) return;
  throw new SluiceError('capability_not_in_plan', { values: { plan: id, capability } });
}

/** @throws SluiceError zero_retention */
function refuseRetained<Request, Facts>(capability: Capability<Request, Facts>, request: Request): void {
  const retained = capability.retained?.(request) ?? null;
  if (retained === null) return;
  const { what, next, param } = retained;
  throw new SluiceError('zero_retention', { values: { what, next }, ...(param !== undefined && { param }) });
}

/** The targets that the key may use and spend on, with a known price where it is required; null for all. */
function usable(call: Call, plan: ResolvedRoute): ((route: Target) => boolean) | null {
  const may = allowed(call, plan);
  if (call.asOperator === true || (!plan.hasUnpriced && !call.key.restriction)) return may;
  return (route) => may?.(route) !== false && !isRestricted(call.key, route) && !mustBePriced(call.key, route);
}

/** @throws SluiceError account_not_verified | account_not_approved | model_not_priced | model_not_found */
function refuse(call: Call, plan: ResolvedRoute, capability: string, requestedModel: string): never {
  const may = allowed(call, plan);
  if (plan.listed.some((route) => may?.(route) !== false && isRestricted(call.key, route)))
    throw spendingRestrictedError(call.key);
  const unpriced = plan.listed.find((route) => may?.(route) !== false && mustBePriced(call.key, route));
  if (unpriced) throw notPricedError(call.key, unpriced, capability);
  return unknown(requestedModel, LIST_MODELS_HINT);
}

/** A key that may use a route by name may use all of its targets within its plan; null for all. */
function allowed({ key }: Call, { name }: ResolvedRoute): ((route: Target) => boolean) | null {
  const own = key.allowedModels === null || key.allowedModels.includes(name) ? null : key.allowedModels;
  // Accounts create routes too: a route's name does not extend the models of a plan.
  const { models } = key.plan;
  if (own === null && models === null) return null;
  return ({ model }) => isListed(own, model) && isListed(models, model);
}

function cacheUse<Request, Facts>(
  parts: RequestDependencies,
  capability: Capability<Request, Facts>,
  { key }: Call,
  { plan, request, input }: { readonly plan: ResolvedRoute; readonly request: Request; readonly input: RequestInput },
  ttlMs: number,
): CacheUse | null {
  const cacheable = capability.cacheable(request);
  if (cacheable === null) return null;
  // A cached response of a model that the key may not use is not served to it.
  const reach = `${reachOf(key.allowedModels)}${key.plan.models === null ? '' : reachOf(key.plan.models)}`;
  // A route with other targets under the same name gets other entries.
  const route = [
    plan.name,
    plan.parameters,
    ...plan.listed.map(({ connection, model }) => `${connection.id} ${model}`),
  ].join('\n');
  const name = cacheKey(
    `${key.accountId}\n${reach}`,
    capability.name,
    route,
    cacheable,
    Buffer.isBuffer(input) ? input : null,
  );
  return new CacheUse(parts.cache, name, ttlMs, parts.clock);
}

function reachOf(models: readonly string[] | null): string {
  return models === null ? '*' : JSON.stringify([...models].sort());
}

/** Details of a model are not revealed to a key that may not use it. */
function mayReveal(key: KeyRecord, model: string): boolean {
  return mayUseModel(key, model);
}

function unknown(model: string, hint: string): never {
  throw new SluiceError('model_not_found', { values: { model: model.slice(0, 256) }, hint });
}
