import { systemClock, type Clock, type Timer } from '../../../calendar/clock.ts';
import type { SluiceError } from '../../../errors/index.ts';
import type { KeyRecord } from '../../keys/key-directory.ts';
import type { SpendBound } from '../../keys/spend-bound.ts';
import { insufficientQuota, type BudgetState, type Spender } from '../budget.ts';
import {
  boundsOf,
  noUsage,
  type ActualUsage,
  type BudgetStore,
  type DeferredReservation,
  type LimitStore,
  type RateLimitView,
  type Reservation,
} from '../limit-store.ts';
import { limitRefusal, requireFit } from '../limit-view.ts';
import { Definitions } from './definitions.ts';
import { KnownLevels } from './known-levels.ts';
import { LeasedRequests } from './leased-requests.ts';
import type { LimitMessages, ReserveReply } from './operations.ts';
import { TurnBatch } from './turn-batch.ts';
import { limitsUnavailable } from '../waiting-questions.ts';
import { decodeState, encodeBudget, encodeCost, encodeSpender, indexesOf } from './wire-form.ts';

const RETURN_IDLE_MS = 1_000;

/** The limits and budgets of a worker, which its supervisor holds for all workers. While it is gone, no request is admitted. */
export class WorkerLimitStore implements LimitStore, BudgetStore {
  readonly #clock: Clock;
  readonly #batch: TurnBatch;
  readonly #definitions: Definitions;
  readonly #leased: LeasedRequests;
  readonly #levels: KnownLevels;
  /** Reservations that the supervisor has, by its number. */
  readonly #open = new WeakMap<Reservation, number>();
  readonly #lostListeners: ((accountId: string) => void)[] = [];
  readonly #timer: Timer;
  #lastReservation = 0;

  constructor(messages: LimitMessages, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#batch = new TurnBatch(messages, clock);
    this.#definitions = new Definitions(this.#batch);
    this.#levels = new KnownLevels(clock);
    this.#leased = new LeasedRequests(this.#batch, (lease) => this.#levels.returned(lease));
    messages.onNotice((notice) => {
      if (notice[0] === 'lost') this.#reportLost(notice[1]);
      else this.#leased.recall(notice[1]);
    });
    this.#timer = clock.setInterval(() => this.#leased.returnIdle(), RETURN_IDLE_MS).unref();
  }

  recovered(): void {
    this.#batch.add(['recovered']);
  }

  stop(): void {
    this.#timer.cancel();
    this.#batch.flush();
  }

  reserve(key: KeyRecord, model: string, reservation: Reservation): void | Promise<void> {
    const { bounds, tokens, at, costNano } = reservation;
    if (key.budgets.length === 0 && this.#leased.admit(reservation)) return;
    requireFit(bounds, { key, model, tokens });
    const id = ++this.#lastReservation;
    const [keyNumber, boundsNumber] = this.#definitions.of(key, bounds);
    const mayLend = bounds === boundsOf(key);
    return this.#batch
      .ask<'reserve'>(['reserve', id, keyNumber, boundsNumber, tokens, at, String(costNano), mayLend], (reply) =>
        this.#releaseLate(key, model, reservation, id, reply),
      )
      .then((reply) => this.#reserved(key, model, reservation, id, reply));
  }

  async extend(key: KeyRecord, reservation: Reservation, costNano: bigint): Promise<SpendBound | null> {
    const id = this.#open.get(reservation);
    if (id !== undefined && key.budgets.length > 0) {
      const full = await this.#batch.ask<'extend'>(['extend', id, String(costNano)]);
      const budget = key.budgets[full];
      if (budget !== undefined) return budget;
      if (full !== NONE_FULL) throw this.#reportLost(key.accountId);
    }
    reservation.costNano += costNano;
    return null;
  }

  settle(key: KeyRecord, reservation: Reservation, used: ActualUsage): void {
    const { bounds, tokens, at } = reservation;
    const ended = this.#clock.now();
    if (this.#leased.settle(reservation, used.tokens)) {
      if (used.costNano !== 0n) this.#batch.chargeLazily(key, used.costNano, at, ended);
      return;
    }
    const cost = String(used.costNano);
    this.#levels.settled(reservation, used);
    const unserved = used.unserved === undefined ? none : indexesOf(bounds, used.unserved);
    const id = this.#open.get(reservation);
    if (id !== undefined) {
      this.#open.delete(reservation);
      this.#batch.add(['settle', id, used.tokens, cost, ended, ...unserved]);
    } else if (bounds.length > 0 || used.costNano !== 0n) {
      const [keyNumber, boundsNumber] = this.#definitions.of(key, bounds);
      this.#batch.add(['correct', keyNumber, boundsNumber, tokens, at, used.tokens, cost, ended, ...unserved]);
    }
  }

  charge(spender: Spender, costNano: bigint, at: number): void {
    if (costNano === 0n) return;
    this.#batch.add(['charge', encodeSpender(spender), [encodeCost(costNano), at, this.#clock.now()]]);
  }

  reserveForDeferredCharge({ id, spender, costNano }: DeferredReservation): void {
    if (costNano !== 0n) this.#batch.add(['defer', id, encodeSpender(spender), String(costNano)]);
  }

  releaseDeferredCharge({ id, spender }: Pick<DeferredReservation, 'id' | 'spender'>): void {
    this.#batch.add(['releaseDeferred', id, encodeSpender(spender)]);
  }

  retain(budgets: readonly SpendBound[], reservationIds: ReadonlySet<string>): void {
    this.#batch.add(['retain', budgets.map(encodeBudget), [...reservationIds]]);
  }

  /** Of what this worker knows: other workers may have used more since its last message. */
  view(key: KeyRecord, bounds = boundsOf(key)): RateLimitView {
    return this.#levels.view(bounds, this.#leased.unusedOf(bounds));
  }

  open(budget: SpendBound): Promise<boolean> {
    return this.#batch.askApart<'open'>(['open', encodeBudget(budget)]);
  }

  async add(budget: SpendBound, spentNano: bigint, at: number): Promise<void> {
    await this.#batch.askApart<'add'>(['add', encodeBudget(budget), String(spentNano), at]);
  }

  async cancelCount(budget: SpendBound): Promise<void> {
    await this.#batch.askApart<'cancelCount'>(['cancelCount', encodeBudget(budget)]);
  }

  async close(budget: SpendBound): Promise<void> {
    await this.#batch.askApart<'close'>(['close', encodeBudget(budget)]);
  }

  async state(budget: SpendBound): Promise<Readonly<BudgetState> | null> {
    const reply = await this.#batch.ask<'state'>(['state', encodeBudget(budget)]);
    if (reply !== null) return decodeState(reply);
    this.#reportLost(budget.accountId);
    return null;
  }

  onLost(listener: (accountId: string) => void): void {
    this.#lostListeners.push(listener);
  }

  #reserved(key: KeyRecord, model: string, reservation: Reservation, id: number, reply: ReserveReply): void {
    const { bounds, tokens, costNano } = reservation;
    this.#levels.remember(bounds, reply);
    if (reply.full === undefined) {
      this.#open.set(reservation, id);
      if (reply.lease !== undefined) this.#leased.granted(bounds, reply.lease);
      return;
    }
    const [limit, index] = reply.full;
    const budget = key.budgets[index];
    if (limit === 'budget' && budget !== undefined) throw insufficientQuota(budget, costNano, this.#clock.now());
    const bound = bounds[index];
    if (limit === 'budget' || limit === 'unknown' || bound === undefined) throw this.#reportLost(key.accountId);
    throw limitRefusal(limit, bound, this.#levels.refilled(bound), { key, model, tokens });
  }

  /** Its request was refused, because the reply took too long. */
  #releaseLate(key: KeyRecord, model: string, refused: Reservation, id: number, reply: ReserveReply): void {
    const reservation = { ...refused };
    try {
      this.#reserved(key, model, reservation, id, reply);
    } catch {
      // Nothing was reserved.
      return;
    }
    this.settle(key, reservation, noUsage);
  }

  /** @returns the error of a request that needs what was lost */
  #reportLost(accountId: string): SluiceError {
    for (const listener of this.#lostListeners) listener(accountId);
    return limitsUnavailable();
  }
}

const NONE_FULL = -1;
const none: readonly number[] = [];
