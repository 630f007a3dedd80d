import type { KeyRecord } from '../key-directory.ts';
import type { BudgetState, SpendBound, Spender } from './budget.ts';
import type { LimitBound } from './limit-bound.ts';
import type { RateLimitView } from './limit-view.ts';

/** What a request takes of its key's limits and budgets from its admission to its settling. */
export interface Reservation {
  readonly eventId: string;
  /** Milliseconds since the epoch: its cost counts in the periods of then. */
  readonly at: number;
  /** Of which it takes a request, its tokens and a slot: of all or of none. */
  readonly bounds: readonly LimitBound[];
  /** Estimated, the answer included. */
  readonly tokens: number;
  /** The most that it can cost, nano-USD, where its key has budgets; else 0. Grows by `extend`. */
  costNano: bigint;
}

/** What it came to. */
export interface ActualUsage {
  readonly tokens: number;
  readonly costNano: bigint;
  /** Ids of bounds of the hold whose tokens it did not use: those of models that did not answer. None where absent. */
  readonly unserved?: ReadonlySet<string> | undefined;
}

/** What of a bound's tokens was used. */
export function tokensOf({ tokens, unserved }: ActualUsage, { id }: LimitBound): number {
  return unserved?.has(id) === true ? 0 : tokens;
}

export const noUsage: ActualUsage = { tokens: 0, costNano: 0n };

/** What a standing hold is for was known to whoever asks which ones are left, if it is older than this. */
export const DEFERRED_RESERVATION_GRACE_MS = 60_000;

/** What became known to cost something, and is billed later: it takes room of its spender's budgets until then. */
export interface DeferredReservation {
  /** Of the request that it is for. */
  readonly id: string;
  readonly spender: Spender;
  /** The most that the bill may say, nano-USD: of whatever period it will be. */
  readonly costNano: bigint;
}

/**
 * Enforces limits and budgets. The same state that admits also yields the headers. In memory an answer comes at once; a store outside
 * this process returns a promise.
 */
export interface LimitStore {
  /**
   * One atomic step: takes one request, the hold's tokens and a concurrency slot of each of its bounds, and its cost of each of
   * the key's budgets, or nothing at all.
   * @throws SluiceError rate_limit_requests | rate_limit_tokens | rate_limit_concurrency | tokens_above_limit | insufficient_quota (also as the promise's rejection)
   */
  reserve(key: KeyRecord, model: string, hold: Reservation): void | Promise<void>;
  /** Takes more for a request under way, of all its budgets or of none. @returns the budget that has no room; null where all have */
  extend(key: KeyRecord, hold: Reservation, costNano: bigint): SpendBound | null | Promise<SpendBound | null>;
  /** Ends a hold. What it cost counts in every budget of its spender, also in those set after it began. */
  settle(key: KeyRecord, hold: Reservation, used: ActualUsage): void;
  /** Counts what became due without a hold. @param at when what it is for began */
  charge(spender: Spender, costNano: bigint, at: number): void;
  /**
   * Takes what a standing hold may cost of each open budget of its spender, whether there is room or not; of the periods after
   * the present one too. The same again takes nothing.
   */
  reserveForDeferredCharge(hold: DeferredReservation): void;
  /** Ends a standing hold; also one that is not there. */
  releaseDeferredCharge(hold: Pick<DeferredReservation, 'id' | 'spender'>): void;
  /** What is left of the bounds; those of all requests of the key where absent. */
  view(key: KeyRecord, bounds?: readonly LimitBound[]): RateLimitView;
}

/** The part of a limit store that keeps budgets. */
export interface BudgetStore {
  /** From now on, what its spenders settle counts in it. @returns whether it is to be counted: then `add` what was spent until now */
  open(budget: SpendBound): boolean | Promise<boolean>;
  /** Adds what was spent in the period of `at` before the budget was opened. */
  add(budget: SpendBound, spentNano: bigint, at: number): void | Promise<void>;
  close(budget: SpendBound): void | Promise<void>;
  /** Lets go of standing holds that are older than a minute and not among these: whoever was to do so did not. */
  retain(budgets: readonly SpendBound[], holdIds: ReadonlySet<string>): void;
  /** Null for one that is not open. */
  state(budget: SpendBound): Readonly<BudgetState> | null | Promise<Readonly<BudgetState> | null>;
  /** Tells of each account of whose budgets it does not know any more what was spent, though they were opened: they have to be opened again. */
  onLost(listener: (accountId: string) => void): void;
}
