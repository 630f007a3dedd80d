import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import { budgetIds, hasRoom, insufficientQuota, spenderOf, type BudgetState, type Spender } from './budget.ts';
import type { SpendBound } from '../keys/spend-bound.ts';
import { fullState, release, periods, refill, exceededLimit, consume, type LimitState } from './limit-state.ts';
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

/** In-memory limits of one process. Uses wall time: budgets have calendar periods. */
export class MemoryLimitStore implements LimitStore, BudgetStore {
  readonly #states = new Map<string, LimitState>();
  readonly #budgets = new Map<string, OpenBudget>();
  /** The budget states that a reservation was made in. A budget that was reopened since has a new state. */
  readonly #reservedIn = new WeakMap<Reservation, readonly BudgetState[]>();
  readonly #clock: Clock;
  #reservations = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  reserve(key: KeyRecord, model: string, reservation: Reservation): void {
    const now = this.#clock.now();
    const { bounds, tokens } = reservation;
    requireFit(bounds, { key, model, tokens });
    if (key.budgets.length > 0) this.#requireRoom(key, reservation.costNano, now);
    for (const bound of bounds) {
      const state = this.#state(bound, now);
      refill(state, bound.limits, now);
      const refused = exceededLimit(state, bound.limits, tokens);
      if (refused !== null) throw limitRefusal(refused, bound, state, { key, model, tokens });
    }
    for (const bound of bounds) consume(this.#state(bound, now), bound.limits, tokens);
    if (key.budgets.length > 0) this.#reserveBudgets(key, reservation);
    if (++this.#reservations % SWEEP_EVERY === 0) this.#forgetIdle(now);
  }

  extend(key: KeyRecord, reservation: Reservation, costNano: bigint): SpendBound | null {
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

  settle(key: KeyRecord, reservation: Reservation, used: ActualUsage): void {
    const now = this.#clock.now();
    for (const bound of reservation.bounds)
      release(this.#state(bound, now), bound.limits, reservation.tokens, tokensOf(used, bound), now);
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
    return viewOf(bounds, (bound) => {
      const state = this.#state(bound, now);
      refill(state, bound.limits, now);
      return state;
    });
  }

  #requireRoom(key: KeyRecord, costNano: bigint, now: number): void {
    for (const budget of key.budgets) {
      const state = this.#current(budget, now);
      if (state !== null && !hasRoom(state, budget, costNano)) throw insufficientQuota(budget, costNano, now);
    }
  }

  #reserveBudgets(key: KeyRecord, reservation: Reservation): void {
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

  #state({ id, limits }: LimitBound, now: number): LimitState {
    let state = this.#states.get(id);
    if (state === undefined) {
      state = fullState(limits, now);
      this.#states.set(id, state);
    }
    return state;
  }

  /** After a day of inactivity a bucket is full, like a new one. */
  #forgetIdle(now: number): void {
    for (const [id, state] of this.#states)
      if (state.running === 0 && now - state.updatedAt > periods.day) this.#states.delete(id);
  }
}

const none: readonly BudgetState[] = [];
