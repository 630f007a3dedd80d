import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import { budgetIds, hasRoom, insufficientQuota, spenderOf, type BudgetState, type Spender } from './budget.ts';
import type { SpendBound } from '../keys/spend-bound.ts';
import { release, exceededLimit, consume, type LimitName, type LimitState } from './limit-state.ts';
import { LimitStates } from './limit-states.ts';
import type { LimitedKey } from './limited-key.ts';
import {
  DEFERRED_RESERVATION_GRACE_MS,
  tokensOf,
  type BudgetStore,
  type Reservation,
  type LimitStore,
  type DeferredReservation,
  type ActualUsage,
  boundsOf,
  type LimitBound,
  type RateLimitView,
} from './limit-store.ts';
import { limitRefusal, requireFit, viewOf } from './limit-view.ts';
import { currentState, haveSamePeriod, openBudget, releaseFrom, type OpenBudget } from './open-budget.ts';

const SWEEP_EVERY = 10_000;

/** What has no room for a request: a budget, or a limit of a bound, whose state is refilled to now. */
export type Exceeded =
  | { readonly budget: SpendBound }
  | { readonly limit: LimitName; readonly bound: LimitBound; readonly state: Readonly<LimitState> };

/** In-memory limits of one process. Uses wall time: budgets have calendar periods. */
export class MemoryLimitStore implements LimitStore, BudgetStore {
  readonly #states: LimitStates;
  readonly #budgets = new Map<string, OpenBudget>();
  /** The budget states that a reservation was made in. A budget that was reopened since has a new state. */
  readonly #reservedIn = new WeakMap<Reservation, readonly BudgetState[]>();
  readonly #clock: Clock;
  #reservations = 0;

  constructor(clock: Clock = systemClock, states: LimitStates = new LimitStates()) {
    this.#clock = clock;
    this.#states = states;
  }

  reserve(key: KeyRecord, model: string, reservation: Reservation): void {
    const { bounds, tokens, costNano } = reservation;
    requireFit(bounds, { key, model, tokens });
    const exceeded = this.tryReserve(key, reservation);
    if (exceeded === null) return;
    if ('budget' in exceeded) throw insufficientQuota(exceeded.budget, costNano, this.#clock.now());
    throw limitRefusal(exceeded.limit, exceeded.bound, exceeded.state, { key, model, tokens });
  }

  /** As `reserve`, for a request that fits into a full bucket. @returns what has no room; null if all have */
  tryReserve(key: LimitedKey, reservation: Reservation): Exceeded | null {
    const now = this.#clock.now();
    const { bounds, tokens } = reservation;
    if (key.budgets.length > 0) {
      const budget = this.#fullBudget(key, reservation.costNano, now);
      if (budget !== undefined) return { budget };
    }
    for (const bound of bounds) {
      const state = this.#states.refilled(bound, now);
      const limit = exceededLimit(state, bound.limits, tokens);
      if (limit !== null) return { limit, bound, state };
    }
    for (const bound of bounds) consume(this.#states.of(bound, now), bound.limits, tokens);
    if (key.budgets.length > 0) this.#reserveBudgets(key, reservation);
    if (++this.#reservations % SWEEP_EVERY === 0) this.#states.forgetIdle(now);
    return null;
  }

  extend(key: LimitedKey, reservation: Reservation, costNano: bigint): SpendBound | null {
    const now = this.#clock.now();
    const full = key.budgets.find((budget) => {
      const state = this.#current(budget, now);
      // Nothing can be reserved in a past period.
      return state !== null && reservation.at >= state.period.start && !hasRoom(state, budget, costNano);
    });
    if (full !== undefined) return full;
    for (const state of this.#reservedStates(reservation)) state.reservedNano += costNano;
    reservation.costNano += costNano;
    return null;
  }

  settle(key: LimitedKey, reservation: Reservation, used: ActualUsage): void {
    const now = this.#clock.now();
    for (const bound of reservation.bounds)
      release(this.#states.of(bound, now), bound.limits, reservation.tokens, tokensOf(used, bound), now);
    if (this.#budgets.size === 0) return;
    for (const state of this.#reservedStates(reservation)) state.reservedNano -= reservation.costNano;
    this.charge(spenderOf(key), used.costNano, reservation.at);
  }

  charge(spender: Spender, costNano: bigint, at: number): void {
    if (this.#budgets.size === 0 || costNano === 0n) return;
    const now = this.#clock.now();
    for (const open of this.#openOf(spender)) {
      const state = currentState(open, now);
      if (at >= state.period.start) state.spentNano += costNano;
    }
  }

  reserveForDeferredCharge({ id, spender, costNano }: DeferredReservation): void {
    if (this.#budgets.size === 0 || costNano === 0n) return;
    const since = this.#clock.now();
    for (const open of this.#openOf(spender)) {
      if ((open.deferred.get(id)?.costNano ?? 0n) >= costNano) continue;
      releaseFrom(open, id);
      open.deferred.set(id, { costNano, since });
      open.state.reservedNano += costNano;
    }
  }

  releaseDeferredCharge({ id, spender }: Pick<DeferredReservation, 'id' | 'spender'>): void {
    for (const open of this.#openOf(spender)) releaseFrom(open, id);
  }

  retain(budgets: readonly SpendBound[], reservationIds: ReadonlySet<string>): void {
    const before = this.#clock.now() - DEFERRED_RESERVATION_GRACE_MS;
    for (const open of budgets.flatMap(({ id }) => this.#budgets.get(id) ?? []))
      for (const [id, { since }] of open.deferred) if (since < before && !reservationIds.has(id)) releaseFrom(open, id);
  }

  open(budget: SpendBound): boolean {
    const known = this.#budgets.get(budget.id);
    const isSame = known !== undefined && haveSamePeriod(known.budget, budget);
    this.#budgets.set(budget.id, openBudget(budget, known, this.#clock.now()));
    return !isSame;
  }

  add(budget: SpendBound, spentNano: bigint, at: number): void {
    const state = this.#current(budget, this.#clock.now());
    if (state !== null && at >= state.period.start) state.spentNano += spentNano;
  }

  cancelCount(budget: SpendBound): void {
    this.close(budget);
  }

  close({ id }: SpendBound): void {
    this.#budgets.delete(id);
  }

  state(budget: SpendBound): Readonly<BudgetState> | null {
    return this.#current(budget, this.#clock.now());
  }

  /** The in-memory store loses no budgets. */
  onLost(): void {}

  view(key: KeyRecord, bounds = boundsOf(key)): RateLimitView {
    const now = this.#clock.now();
    return viewOf(bounds, (bound) => this.#states.refilled(bound, now));
  }

  #fullBudget(key: LimitedKey, costNano: bigint, now: number): SpendBound | undefined {
    return key.budgets.find((budget) => {
      const state = this.#current(budget, now);
      return state !== null && !hasRoom(state, budget, costNano);
    });
  }

  #reserveBudgets(key: LimitedKey, reservation: Reservation): void {
    const states = key.budgets.flatMap(({ id }) => this.#budgets.get(id)?.state ?? []);
    this.#reservedIn.set(reservation, states);
    for (const state of this.#reservedStates(reservation)) state.reservedNano += reservation.costNano;
  }

  /** The states that it was reserved in and whose period is not over. */
  #reservedStates(reservation: Reservation): readonly BudgetState[] {
    return this.#reservedIn.get(reservation)?.filter(({ period }) => reservation.at >= period.start) ?? none;
  }

  #openOf(spender: Spender): OpenBudget[] {
    return budgetIds(spender).flatMap((id) => this.#budgets.get(id) ?? []);
  }

  #current(budget: SpendBound, now: number): BudgetState | null {
    const open = this.#budgets.get(budget.id);
    return open === undefined ? null : currentState(open, now);
  }
}

const none: readonly BudgetState[] = [];
