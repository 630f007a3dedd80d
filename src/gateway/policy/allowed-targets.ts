import { SluiceError } from '../../errors/index.ts';
import type { Call } from '../call.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import { isListed, isModelAllowed } from '../keys/model-directory.ts';
import { didYouMean, LIST_MODELS_HINT } from '../routing/models/missing-model.ts';
import type { ResolvedRoute, Router } from '../routing/resolved-route.ts';
import type { Target } from '../routing/target.ts';
import { builtInProviders } from '../../providers/registry.ts';

/** Longer names are truncated in error messages. */
const MAX_SHOWN_LENGTH = 256;

/** What decides which targets a call may use. */
type TargetCall = Pick<Call, 'key' | 'connectionId' | 'asOperator' | 'answered'>;

/** The targets that the key may use and spend on, with a known price where it is required; null for all. */
export function allowedTargets(call: TargetCall, route: ResolvedRoute): ((target: Target) => boolean) | null {
  if (call.answered !== undefined) return null;
  const isKnown = listedTargets(call, route);
  const { connectionId } = call;
  const isAllowed =
    connectionId === undefined
      ? isKnown
      : (target: Target) => target.connection.id === connectionId && isKnown?.(target) !== false;
  if (call.asOperator === true || (!route.hasUnpriced && !call.key.restriction)) return isAllowed;
  return (target) =>
    isAllowed?.(target) !== false && !isRestricted(call.key, target) && !mustBePriced(call.key, target);
}

/** What no target is allowed for. */
interface Refused {
  readonly router: Explaining;
  readonly capability: string;
  readonly requestedModel: string;
}

/**
 * Explains why none of a route's targets is allowed.
 * @throws SluiceError account_not_verified | account_not_approved | model_not_priced | model_not_found
 */
export function refuseAllTargets(
  call: Call,
  route: ResolvedRoute,
  { router, capability, requestedModel }: Refused,
): never {
  if (call.connectionId !== undefined && !route.listed.some(({ connection }) => connection.id === call.connectionId))
    throw new SluiceError('not_found', { values: { what: `object for the model ${requestedModel}` } });
  const isAllowed = listedTargets(call, route);
  if (route.listed.some((target) => isAllowed?.(target) !== false && isRestricted(call.key, target)))
    throw spendingRestrictedError(call.key);
  const unpriced = route.listed.find((target) => isAllowed?.(target) !== false && mustBePriced(call.key, target));
  if (unpriced) throw notPricedError(call.key, unpriced, capability);
  // Its configuration is not revealed.
  const explaining: Explaining = {
    similarModels: (...args) => router.similarModels(...args),
    explainModelNotFound: () => LIST_MODELS_HINT,
  };
  throw unknownModel(call.key, explaining, requestedModel);
}

/** What explains names that resolve to nothing. */
type Explaining = Pick<Router, 'explainModelNotFound' | 'similarModels'>;

/** A model name that resolves to nothing. Details are not revealed to a key that may not use the model. */
export function unknownModel(
  key: KeyRecord,
  router: Explaining,
  model: string,
  { accountId = key.accountId, param = null }: { readonly accountId?: string; readonly param?: string | null } = {},
): SluiceError {
  const reason = isModelAllowed(key, model) ? router.explainModelNotFound(model, accountId) : LIST_MODELS_HINT;
  const [first, ...others] = router.similarModels(model, accountId, (name) => isModelAllowed(key, name));
  // The reason may name it already, among all providers of the model.
  const isNamed = first === undefined || reason.includes(first);
  const hint = isNamed ? reason : `${didYouMean([first, ...others])} ${reason}`;
  return new SluiceError('model_not_found', { param, values: { model: model.slice(0, MAX_SHOWN_LENGTH) }, hint });
}

/** A key that may use a route by name may use all of its targets within its plan; null for all. */
function listedTargets({ key }: TargetCall, { name }: ResolvedRoute): ((target: Target) => boolean) | null {
  const own = key.allowedModels === null || key.allowedModels.includes(name) ? null : key.allowedModels;
  // Accounts create routes too: a route's name does not extend the models of a plan.
  const { models } = key.plan;
  if (own === null && models === null) return null;
  return ({ model }) => isListed(own, model) && isListed(models, model);
}

/** Example prices for capabilities that are not priced by tokens. */
const unitPriceExamples: Readonly<Record<string, string>> = {
  images: 'units: [{ unit: image, price: "0.04" }]',
  speech: 'units: [{ unit: character, price: "15" }]',
  transcription: 'units: [{ unit: audio_second, price: "0.006" }]',
  video: 'units: [{ unit: video_second, price: "0.10" }]',
};

/**
 * Whether a target without a known price is ruled out because the key's spending is limited. A plan limits what the
 * operator would pay; with its own provider key, only the account pays.
 */
function mustBePriced(key: KeyRecord, { isUnpriced, connection }: Target): boolean {
  if (!isUnpriced) return false;
  return connection.id === connection.provider ? spendingBound(key) !== null : isBudgeted(key);
}

/** The error of a request that `mustBePriced` rules out, with the configuration that sets a price. */
function notPricedError(key: KeyRecord, { model }: Target, capability: string): SluiceError {
  const units = unitPriceExamples[capability];
  const tokens = units === undefined ? 'input: "2.50", output: "10.00"' : `input: "0", output: "0", ${units}`;
  const lines = `models: { ${JSON.stringify(model)}: { ${tokens} } }`;
  return new SluiceError('model_not_priced', {
    values: { model, bound: String(spendingBound(key)), lines },
    param: 'model',
  });
}

/** What limits a key's spending, in words; null for nothing. */
export function spendingBound(key: KeyRecord): string | null {
  if (isBudgeted(key)) return 'this key has a budget';
  return key.plan.overage === 'refuse' ? `the plan ${key.plan.id} does not allow overage` : null;
}

function isBudgeted({ budgets }: KeyRecord): boolean {
  return budgets.some(({ subject }) => subject !== 'allowance');
}

/**
 * Whether an unverified or unapproved account must not use a target, because the operator would pay. An account's own
 * provider connections and built-in providers, which are never billed, are not affected.
 */
function isRestricted({ restriction }: KeyRecord, { connection }: Target): boolean {
  if (restriction === undefined || restriction === null) return false;
  return connection.id === connection.provider && !builtInProviders.has(connection.provider);
}

/** The error of a request that `isRestricted` rules out. */
function spendingRestrictedError({ restriction }: KeyRecord): SluiceError {
  return new SluiceError(restriction === 'verification' ? 'account_not_verified' : 'account_not_approved');
}
