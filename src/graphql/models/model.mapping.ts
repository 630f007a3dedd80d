import { isModelAllowed, type ModelListing } from '../../gateway/keys/model-directory.ts';
import type { Caller } from '../operation/context.ts';
import { toModelPricing } from './model-pricing.mapping.ts';
import type { Model } from './model.types.ts';

/** API keys see the models that they can use. */
export function visibleTo(caller: Caller): (model: ModelListing) => boolean {
  return (model) => caller.kind === 'session' || isModelAllowed(caller.key, model.id);
}

export function toModel(model: ModelListing): Model {
  const { id, name, provider, contextWindow, maxOutputTokens, pricing, created } = model;
  return {
    id,
    name,
    provider,
    contextWindow,
    maxOutputTokens,
    inputModalities: [...model.inputModalities],
    outputModalities: [...model.outputModalities],
    capabilities: [...model.capabilities],
    pricing: pricing && toModelPricing(pricing),
    releasedAt: created === 0 ? null : new Date(created * 1_000),
  };
}
