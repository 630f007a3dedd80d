import type { KeyRecord, RateLimits } from '../key-directory.ts';
import { bareName } from '../model-directory.ts';

/** Limits, and of whose requests: all requests with a bound of the same id count in it together. */
export interface LimitBound {
  /** `key:<key>`, `account:<account>`, `model:<key>:<name>` or `capability:<key>:<name>`. */
  readonly id: string;
  readonly of: 'key' | 'account' | 'model' | 'capability';
  /** The model or capability that it is for, as whoever set it names it; empty for the others. */
  readonly part: string;
  readonly limits: RateLimits;
}

/** A request that a bound of a part may be for. */
export interface BoundedRequest {
  readonly capability: string;
  /** Canonical: `provider/model`. */
  readonly model: string;
  /** As its caller names the model. */
  readonly requestedModel: string;
}

const usual = new WeakMap<KeyRecord, readonly LimitBound[]>();

/** What bounds every request of a key: its own limits, and those of its account. The same list for the same key. */
export function boundsOf(key: KeyRecord): readonly LimitBound[] {
  let bounds = usual.get(key);
  if (bounds === undefined) {
    const { id, accountId, limits, accountLimits } = key;
    bounds = [{ id: `key:${id}`, of: 'key', part: '', limits }];
    if (accountLimits)
      bounds = [...bounds, { id: `account:${accountId}`, of: 'account', part: '', limits: accountLimits }];
    usual.set(key, bounds);
  }
  return bounds;
}

/** What bounds a request: beside what bounds them all, the limits that its key has for its model and its capability. */
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

/** For a request within another that has its slots already. */
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
