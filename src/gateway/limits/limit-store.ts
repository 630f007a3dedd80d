import type { KeyRecord, RateLimits } from '../keys/key-directory.ts';
import type { BudgetState, Spender } from './budget.ts';
import type { SpendBound } from '../keys/spend-bound.ts';
import { bareName } from '../keys/model-directory.ts';

/** A request's reservation of its key's limits and budgets, from admission to settlement. */
export interface Reservation {
  readonly eventId: string;
  /** Admission time, in milliseconds since the epoch: the cost counts in the periods of that time. */
  readonly at: number;
  /** Each is charged a request, its tokens and a slot: all of them or none. */
  readonly bounds: readonly LimitBound[];
  /** Estimated, including the output. */
  readonly tokens: number;
  /** The maximum cost in nano-USD, where its key has budgets; else 0. Increased by `extend`. */
  costNano: bigint;
  /** Of the limit store: what admitted it. */
  lease?: object | undefined;
}

/** The actual usage of a request. */
export interface ActualUsage {
  readonly tokens: number;
  readonly costNano: bigint;
  /**
   * Ids of bounds in the reservation whose tokens were not used: those of models that did not respond. None if absent.
   */
  readonly unserved?: ReadonlySet<string> | undefined;
}

/** The tokens that a bound is charged. */
export function tokensOf({ tokens, unserved }: ActualUsage, { id }: LimitBound): number {
  return unserved?.has(id) === true ? 0 : tokens;
}

export const noUsage: ActualUsage = { tokens: 0, costNano: 0n };

/** A deferred reservation older than this is included in the ids passed to `retain`, if it is still needed. */
export const DEFERRED_RESERVATION_GRACE_MS = 60_000;

/** The reservation of a charge that is billed later: it occupies its spender's budgets until then. */
export interface DeferredReservation {
  /** The id of its request. */
  readonly id: string;
  readonly spender: Spender;
  /** The maximum charge in nano-USD, in whichever period it is billed. */
  readonly costNano: bigint;
}

/**
 * Enforces limits and budgets. The state that admits a request also yields its headers. The in-memory store is
 * synchronous; a remote store returns promises.
 */
export interface LimitStore {
  /**
   * Reserves in one atomic step: a request, its tokens and a slot of each bound, and its cost of each budget of the
   * key, or nothing.
   * @throws SluiceError rate_limit_requests | rate_limit_tokens | rate_limit_concurrency | tokens_above_limit |
   * insufficient_quota (also as the promise's rejection)
   */
  reserve(key: KeyRecord, model: string, reservation: Reservation): void | Promise<void>;
  /**
   * Increases the reserved cost of an open request, in all of its budgets or in none.
   * @returns the budget without room; null if all have room
   */
  extend(key: KeyRecord, reservation: Reservation, costNano: bigint): SpendBound | null | Promise<SpendBound | null>;
  /** Settles a reservation. The cost counts in every budget of its spender, also in those created since. */
  settle(key: KeyRecord, reservation: Reservation, used: ActualUsage): void;
  /** Counts a cost without a reservation. @param at when its request began */
  charge(spender: Spender, costNano: bigint, at: number): void;
  /**
   * Reserves a deferred charge in each open budget of its spender, regardless of room, in the current and later
   * periods. In one step, a larger charge replaces a smaller one of the same id; a smaller one changes nothing.
   */
  reserveForDeferredCharge(reservation: DeferredReservation): void;
  /** Releases a deferred reservation, if it exists. */
  releaseDeferredCharge(reservation: Pick<DeferredReservation, 'id' | 'spender'>): void;
  /** The remaining capacity of the bounds; of those of every request of the key if absent. */
  view(key: KeyRecord, bounds?: readonly LimitBound[]): RateLimitView;
}

/** The part of a limit store that manages budgets. */
export interface BudgetStore {
  /**
   * Starts to count its spenders' settlements.
   * @returns whether the budget is new: then call `add` with the spending so far
   */
  open(budget: SpendBound): boolean | Promise<boolean>;
  /** Adds the spending in the period of `at` before the budget was opened. */
  add(budget: SpendBound, spentNano: bigint, at: number): void | Promise<void>;
  /**
   * Ends what `open` began, where the spending so far cannot be read or `add` failed. A budget that is open for other processes
   * remains open.
   */
  cancelCount(budget: SpendBound): void | Promise<void>;
  /** Closes a budget for all processes: it does not exist any more. */
  close(budget: SpendBound): void | Promise<void>;
  /** Releases deferred reservations that are older than a minute and not among these ids. */
  retain(budgets: readonly SpendBound[], reservationIds: ReadonlySet<string>): void;
  /** Null for one that is not open. */
  state(budget: SpendBound): Readonly<BudgetState> | null | Promise<Readonly<BudgetState> | null>;
  /** Where present: resolves when each other process holds in the store what it reserved for an account, or counts as ended. */
  whenOthersReady?(accountId: string): Promise<void>;
  /** Where present: has budgets counted again from the usage log when they are opened next. */
  recount?(budgets: readonly SpendBound[]): void;
  /** Where present, call it when the requests that an earlier process did not settle are settled in the database. */
  recovered?(): void;
  /** Registers a listener for accounts whose open budgets were lost and have to be opened again. */
  onLost(listener: (accountId: string) => void): void;
}

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
  /** `ResolvedRoute.name`: what a key's alias or a pattern made of it. Absent where it is the requested name. */
  readonly routedName?: string;
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
  { capability, model, requestedModel, routedName }: BoundedRequest,
): readonly LimitBound[] {
  const { partLimits } = key;
  if (!partLimits) return boundsOf(key);
  const bounds = [...boundsOf(key)];
  const limits = partLimits.capabilities.get(capability);
  if (limits !== undefined)
    bounds.push({ id: `capability:${key.id}:${capability}`, of: 'capability', part: capability, limits });
  for (const part of new Set([model, bareName(model), requestedModel, routedName ?? requestedModel])) {
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

/** The remaining limits, as sent in the `x-ratelimit-*` headers. */
export interface RateLimitView {
  readonly limitRequests: number;
  readonly remainingRequests: number;
  readonly resetRequestsMs: number;
  readonly limitTokens: number;
  readonly remainingTokens: number;
  readonly resetTokensMs: number;
}
