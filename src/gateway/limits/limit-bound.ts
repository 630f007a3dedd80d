import type { KeyRecord, RateLimits } from '../keys/key-directory.ts';
import { bareName } from '../keys/model-directory.ts';

/** Limits, and the requests they apply to: all requests with a bound of the same id count together. */
export interface LimitBound {
  /** `key:<key>`, `account:<account>`, `model:<key>:<name>` or `capability:<key>:<name>`. */
  readonly id: string;
  readonly of: 'key' | 'account' | 'model' | 'capability';
  /** The model or capability that it applies to, as configured; empty for the others. */
  readonly part: string;
  readonly limits: RateLimits;
}

/** The properties of a request that select its bounds. */
export interface BoundedRequest {
  readonly capability: string;
  /** Canonical: `provider/model`. */
  readonly model: string;
  /** The requested model name. */
  readonly requestedModel: string;
}

const boundsByKey = new WeakMap<KeyRecord, readonly LimitBound[]>();

/** The bounds of every request of a key: its own limits and its account's. Returns the same list for the same key. */
export function boundsOf(key: KeyRecord): readonly LimitBound[] {
  let bounds = boundsByKey.get(key);
  if (bounds === undefined) {
    const { id, accountId, limits, accountLimits } = key;
    bounds = [{ id: `key:${id}`, of: 'key', part: '', limits }];
    if (accountLimits)
      bounds = [...bounds, { id: `account:${accountId}`, of: 'account', part: '', limits: accountLimits }];
    boundsByKey.set(key, bounds);
  }
  return bounds;
}

/** The bounds of one request: those of every request, and the key's limits for its model and capability. */
export function boundsFor(
  key: KeyRecord,
  { capability, model, requestedModel }: BoundedRequest,
): readonly LimitBound[] {
  const { partLimits } = key;
  if (!partLimits) return boundsOf(key);
  const bounds = [...boundsOf(key)];
  const limits = partLimits.capabilities.get(capability);
  if (limits !== undefined)
    bounds.push({ id: `capability:${key.id}:${capability}`, of: 'capability', part: capability, limits });
  for (const part of new Set([model, bareName(model), requestedModel])) {
    const ofModel = partLimits.models.get(part);
    if (ofModel !== undefined) bounds.push({ id: `model:${key.id}:${part}`, of: 'model', part, limits: ofModel });
  }
  return bounds;
}

/** For a request on behalf of another one, which has its slots already. */
export function withoutSlots(key: KeyRecord): Pick<KeyRecord, 'limits' | 'accountLimits' | 'partLimits'> {
  const freed = (limits: RateLimits): RateLimits => ({ ...limits, concurrency: Infinity });
  const freedAll = (parts: ReadonlyMap<string, RateLimits>): ReadonlyMap<string, RateLimits> =>
    new Map([...parts].map(([name, limits]) => [name, freed(limits)]));
  const { limits, accountLimits, partLimits } = key;
  return {
    limits: freed(limits),
    accountLimits: accountLimits ? freed(accountLimits) : null,
    partLimits: partLimits
      ? { models: freedAll(partLimits.models), capabilities: freedAll(partLimits.capabilities) }
      : null,
  };
}
