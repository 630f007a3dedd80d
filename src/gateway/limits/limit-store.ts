import type { KeyRecord } from '../key-directory.ts';
import type { BudgetState, SpendBound, Spender } from './budget.ts';

/** The state of one key's limits as the `x-ratelimit-*` headers tell it. */
export interface RateLimitView {
  readonly limitRequests: number;
  readonly remainingRequests: number;
  readonly resetRequestsMs: number;
  readonly limitTokens: number;
  readonly remainingTokens: number;
  readonly resetTokensMs: number;
}

/** What a request takes of its key's limits and budgets from its admission to its settling. */
export interface Hold {
  readonly eventId: string;
  /** Milliseconds since the epoch: its cost counts in the periods of then. */
  readonly at: number;
  /** Estimated, the answer included. */
  readonly tokens: number;
  /** The most that it can cost, nano-USD, where its key has budgets; else 0. Grows by `extend`. */
  costNano: bigint;
}

/** What it came to. */
export interface Used {
  readonly tokens: number;
  readonly costNano: bigint;
}

export const nothingUsed: Used = { tokens: 0, costNano: 0n };

/**
 * Enforces a key's limits. The same state that admits also yields the headers. In memory an answer comes at once; a store outside
 * this process returns a promise.
 */
export interface LimitStore {
  /**
   * One atomic step: takes one request, the hold's tokens, a concurrency slot, and its cost of each of the key's budgets, or
   * nothing at all.
   * @throws SluiceError rate_limit_requests | rate_limit_tokens | rate_limit_concurrency | tokens_above_limit | insufficient_quota (also as the promise's rejection)
   */
  reserve(key: KeyRecord, model: string, hold: Hold): void | Promise<void>;
  /** Takes more for a request under way, of all its budgets or of none. @returns whether there was so much */
  extend(key: KeyRecord, hold: Hold, costNano: bigint): boolean | Promise<boolean>;
  /** Ends a hold. What it cost counts in every budget of its spender, also in those set after it began. */
  settle(key: KeyRecord, hold: Hold, used: Used): void;
  /** Counts what became due without a hold. @param at when what it is for began */
  charge(spender: Spender, costNano: bigint, at: number): void;
  view(key: KeyRecord): RateLimitView;
}

/** The part of a limit store that keeps budgets. */
export interface BudgetStore {
  /** From now on, what its spenders settle counts in it. @returns whether it is to be counted: then `add` what was spent until now */
  open(budget: SpendBound): boolean | Promise<boolean>;
  /** Adds what was spent in the period of `at` before the budget was opened. */
  add(budget: SpendBound, spentNano: bigint, at: number): void | Promise<void>;
  close(budget: SpendBound): void | Promise<void>;
  /** Null for one that is not open. */
  state(budget: SpendBound): Readonly<BudgetState> | null | Promise<Readonly<BudgetState> | null>;
  /** Tells of each account of whose budgets it does not know any more what was spent, though they were opened: they have to be opened again. */
  onLost(listener: (accountId: string) => void): void;
}
