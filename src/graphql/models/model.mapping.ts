import { isModelAllowed, type ModelListing } from '../../gateway/keys/model-directory.ts';
import type { Caller } from '../operation/context.ts';
import { toModelPricing } from './model-pricing.mapping.ts';
import type { DataPolicy, Model, ModelDeprecation } from './model.types.ts';

/** API keys see the models that they can use. */
export function visibleTo(caller: Caller): (model: ModelListing) => boolean {
  return (model) => caller.kind === 'session' || isModelAllowed(caller.key, model.id);
}

export function toModel(model: ModelListing): Model {
  const { id, name, provider, contextWindow, maxOutputTokens, pricing, isUnpriced, deprecation, created } = model;
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
    isUnpriced,
    deprecation: deprecation && toDeprecation(deprecation),
    releasedAt: created === 0 ? null : new Date(created * 1_000),
    region: model.region,
    dataPolicy: toDataPolicy(model.dataPolicy),
  };
}

export function toDataPolicy({ source, ...policy }: ModelListing['dataPolicy']): DataPolicy {
  return { ...policy, source: source?.url ?? null, readAt: source && new Date(source.readOn) };
}

function toDeprecation({
  announcedOn,
  shutdownOn,
  replacement,
  source,
  readOn,
}: NonNullable<ModelListing['deprecation']>): ModelDeprecation {
  return {
    announcedAt: announcedOn === undefined ? null : new Date(announcedOn),
    shutdownAt: shutdownOn === undefined ? null : new Date(shutdownOn),
    replacement: replacement ?? null,
    source,
    readAt: new Date(readOn),
  };
}
