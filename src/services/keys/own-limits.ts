import type { ApiKeyLimits, ApiKeyRates } from '../../database/entities/api-key.entity.ts';
import type { PartLimits, RateLimits } from '../../gateway/keys/key-directory.ts';
import type { NewKey } from './key-input.ts';

type GivenLimits = NonNullable<NewKey['limits']>;
type GivenRates = Pick<GivenLimits, (typeof rates)[number]>;

const rates = ['requestsPerMinute', 'tokensPerMinute', 'requestsPerDay', 'concurrency'] as const;

/** Limits to store, without null or empty members; null if nothing is left. */
export function ownLimits(limits: NewKey['limits']): ApiKeyLimits | null {
  if (!limits) return null;
  const own: ApiKeyLimits = ownRates(limits);
  if (limits.perModel?.length) own.perModel = limits.perModel.map((each) => ({ model: each.model, ...ownRates(each) }));
  if (limits.perCapability?.length)
    own.perCapability = limits.perCapability.map((each) => ({ capability: each.capability, ...ownRates(each) }));
  return Object.keys(own).length === 0 ? null : own;
}

/** Limits in the form that requests are checked against; null for none. */
export function partLimits(own: ApiKeyLimits | null): PartLimits | null {
  if (!own?.perModel && !own?.perCapability) return null;
  return {
    models: new Map(own.perModel?.map((each) => [each.model, rateLimits(each)])),
    capabilities: new Map(own.perCapability?.map((each) => [each.capability, rateLimits(each)])),
  };
}

function ownRates(given: GivenRates): ApiKeyRates {
  return Object.fromEntries(rates.flatMap((name) => (given[name] ? [[name, given[name]]] : [])));
}

function rateLimits(own: ApiKeyRates): RateLimits {
  return Object.freeze({
    requestsPerMinute: own.requestsPerMinute ?? Infinity,
    tokensPerMinute: own.tokensPerMinute ?? Infinity,
    requestsPerDay: own.requestsPerDay ?? Infinity,
    concurrency: own.concurrency ?? Infinity,
  });
}
