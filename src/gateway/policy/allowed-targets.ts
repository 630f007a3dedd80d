import { SluiceError } from '../../errors/index.ts';
import type { Call } from '../call.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import { isListed, isModelAllowed } from '../keys/model-directory.ts';
import { LIST_MODELS_HINT } from '../routing/models/missing-model.ts';
import type { ResolvedRoute, Router } from '../routing/resolved-route.ts';
import type { Target } from '../routing/target.ts';
import { isRestricted, spendingRestrictedError } from './restricted-spending.ts';
import { mustBePriced, notPricedError } from './unpriced.ts';

/** The targets that the key may use and spend on, with a known price where it is required; null for all. */
export function allowedTargets(call: Call, route: ResolvedRoute): ((target: Target) => boolean) | null {
  const isAllowed = listedTargets(call, route);
  if (call.asOperator === true || (!route.hasUnpriced && !call.key.restriction)) return isAllowed;
  return (target) =>
    isAllowed?.(target) !== false && !isRestricted(call.key, target) && !mustBePriced(call.key, target);
}

/**
 * Explains why none of a route's targets is allowed.
 * @throws SluiceError account_not_verified | account_not_approved | model_not_priced | model_not_found
 */
export function refuseAllTargets(call: Call, route: ResolvedRoute, capability: string, requestedModel: string): never {
  const isAllowed = listedTargets(call, route);
  if (route.listed.some((target) => isAllowed?.(target) !== false && isRestricted(call.key, target)))
    throw spendingRestrictedError(call.key);
  const unpriced = route.listed.find((target) => isAllowed?.(target) !== false && mustBePriced(call.key, target));
  if (unpriced) throw notPricedError(call.key, unpriced, capability);
  throw modelNotFound(requestedModel, LIST_MODELS_HINT);
}

/** A model name that resolves to nothing. Details are not revealed to a key that may not use the model. */
export function unknownModel(key: KeyRecord, router: Router, model: string, accountId: string): SluiceError {
  return modelNotFound(
    model,
    isModelAllowed(key, model) ? router.explainModelNotFound(model, accountId) : LIST_MODELS_HINT,
  );
}

/** A key that may use a route by name may use all of its targets within its plan; null for all. */
function listedTargets({ key }: Call, { name }: ResolvedRoute): ((target: Target) => boolean) | null {
  const own = key.allowedModels === null || key.allowedModels.includes(name) ? null : key.allowedModels;
  // Accounts create routes too: a route's name does not extend the models of a plan.
  const { models } = key.plan;
  if (own === null && models === null) return null;
  return ({ model }) => isListed(own, model) && isListed(models, model);
}

function modelNotFound(model: string, hint: string): SluiceError {
  return new SluiceError('model_not_found', { values: { model: model.slice(0, 256) }, hint });
}
