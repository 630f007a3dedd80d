import type { KeyRecord } from '../key-directory.ts';
import {
  budgetIds,
  emptyBudget,
  hasRoom,
  outOfMoney,
  rollOver,
  spenderOf,
  type BudgetState,
  type SpendBound,
  type Spender,
} from './budget.ts';
import { fullState, giveBack, periods, refill, take, type KeyLimitState } from './key-state.ts';
import { limitRefusal, requireFit, viewOf } from './key-limits.ts';
import type { BudgetStore, Hold, LimitStore, RateLimitView, Used } from './limit-store.ts';

const SWEEP_EVERY = 10_000;

/** Limits of one process, in memory. `now` in milliseconds. */
export class MemoryLimitStore implements LimitStore, BudgetStore {
  readonly #states = new Map<string, KeyLimitState>();
  readonly #budgets = new Map<string, OpenBudget>();
  /** Where a hold was taken. A budget that was opened anew since has a state of which nothing was. */
  readonly #taken = new WeakMap<Hold, readonly BudgetState[]>();
  readonly #now: () => number;
  #reservations = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  reserve(key: KeyRecord, model: string, hold: Hold): void {
    const now = this.#now();
    const { tokens } = hold;
    requireFit(key, model, tokens);
    if (key.budgets.length > 0) this.#requireRoom(key, hold.costNano, now);
    const state = this.#state(key, now);
    const refusedBy = take(state, key.limits, tokens, now);
    if (refusedBy !== null) throw limitRefusal(refusedBy, key, state, model, tokens);
    if (key.budgets.length > 0) this.#hold(key, hold);
    if (++this.#reservations % SWEEP_EVERY === 0) this.#forgetIdle(now);
  }

  extend(key: KeyRecord, hold: Hold, costNano: bigint): boolean {
    const now = this.#now();
    const isRoom = key.budgets.every((budget) => {
      const state = this.#current(budget, now);
      // Of a period that is over nothing is left to take.
      return state === null || hold.at < state.period.start || hasRoom(state, budget, costNano);
    });
    if (!isRoom) return false;
    for (const state of this.#heldOf(hold)) state.reservedNano += costNano;
    hold.costNano += costNano;
    return true;
  }

  settle(key: KeyRecord, hold: Hold, used: Used): void {
    const now = this.#now();
    giveBack(this.#state(key, now), key.limits, hold.tokens, used.tokens, now);
    if (this.#budgets.size === 0) return;
    for (const state of this.#heldOf(hold)) state.reservedNano -= hold.costNano;
    this.charge(spenderOf(key), used.costNano, hold.at);
  }

  charge(spender: Spender, costNano: bigint, at: number): void {
    if (this.#budgets.size === 0 || costNano === 0n) return;
    const now = this.#now();
    for (const id of budgetIds(spender)) {
      const open = this.#budgets.get(id);
      if (open === undefined) continue;
      rollOver(open.state, open.budget, now);
      if (at >= open.state.period.start) open.state.spentNano += costNano;
    }
  }

  open(budget: SpendBound): boolean {
    const known = this.#budgets.get(budget.id);
    const isSame = known !== undefined && areOfOneKind(known.budget, budget);
    const empty = emptyBudget(budget, this.#now());
    // Another amount, or another end of the same period, changes nothing of what is spent.
    const state = isSame && known.state.period.start >= empty.period.start ? known.state : empty;
    if (state.period.start === empty.period.start) state.period = empty.period;
    this.#budgets.set(budget.id, { budget, state });
    return !isSame;
  }

  add(budget: SpendBound, spentNano: bigint, at: number): void {
    const state = this.#current(budget, this.#now());
    if (state !== null && at >= state.period.start) state.spentNano += spentNano;
  }

  close({ id }: SpendBound): void {
    this.#budgets.delete(id);
  }

  state(budget: SpendBound): Readonly<BudgetState> | null {
    return this.#current(budget, this.#now());
  }

  /** Memory loses none. */
  onLost(): void {}

  view(key: KeyRecord): RateLimitView {
    const now = this.#now();
    const state = this.#state(key, now);
    refill(state, key.limits, now);
    return viewOf(state, key.limits);
  }

  #requireRoom(key: KeyRecord, costNano: bigint, now: number): void {
    for (const budget of key.budgets) {
      const state = this.#current(budget, now);
      if (state !== null && !hasRoom(state, budget, costNano)) throw outOfMoney(budget);
    }
  }

  #hold(key: KeyRecord, hold: Hold): void {
    const states = key.budgets.flatMap(({ id }) => this.#budgets.get(id)?.state ?? []);
    this.#taken.set(hold, states);
    for (const state of this.#heldOf(hold)) state.reservedNano += hold.costNano;
  }

  /** Where it was taken, as far as that period is not over. */
  #heldOf(hold: Hold): readonly BudgetState[] {
    return this.#taken.get(hold)?.filter(({ period }) => hold.at >= period.start) ?? none;
  }

  #current(budget: SpendBound, now: number): BudgetState | null {
    const open = this.#budgets.get(budget.id);
    if (open === undefined) return null;
    rollOver(open.state, open.budget, now);
    return open.state;
  }

  #state(key: KeyRecord, now: number): KeyLimitState {
    let state = this.#states.get(key.id);
    if (state === undefined) {
      state = fullState(key.limits, now);
      this.#states.set(key.id, state);
    }
    return state;
  }

  /** A key that has been idle for a day is full again: its state says nothing that a new one would not. */
  #forgetIdle(now: number): void {
    for (const [id, state] of this.#states)
      if (state.running === 0 && now - state.updatedAt > periods.day) this.#states.delete(id);
  }
}

const none: readonly BudgetState[] = [];

/** Of another kind is another budget, of the same name. */
function areOfOneKind(one: SpendBound, other: SpendBound): boolean {
  if (one.subject === 'allowance' || other.subject === 'allowance') return one.subject === other.subject;
  return one.period === other.period && one.timeZone === other.timeZone;
}

interface OpenBudget {
  readonly budget: SpendBound;
  readonly state: BudgetState;
}
