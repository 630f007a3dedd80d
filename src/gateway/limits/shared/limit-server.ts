import { systemClock, type Clock } from '../../../calendar/clock.ts';
import { LimitStates } from '../limit-states.ts';
import { MemoryLimitStore } from '../memory-limit-store.ts';
import { HeldReservations } from './held-reservations.ts';
import { LimitLeases } from './limit-leases.ts';
import { LimitSession, type LimitSessionDependencies } from './limit-session.ts';
import type { LimitNotice } from './operations.ts';
import { SharedBudgets } from './shared-budgets.ts';

export interface LimitServerLog {
  error(fields: object, message: string): void;
}

/** The limits and budgets of all workers of a supervisor, in its memory. */
export class LimitServer {
  readonly #held: HeldReservations;
  readonly #budgets: SharedBudgets;
  readonly #dependencies: LimitSessionDependencies;
  readonly #sessions = new Set<LimitSession>();

  constructor(log: LimitServerLog, clock: Clock = systemClock) {
    const states = new LimitStates();
    const store = new MemoryLimitStore(clock, states);
    this.#held = new HeldReservations(store);
    this.#budgets = new SharedBudgets(
      store,
      () => this.#held.recoveredSlots(),
      (budgetId, slots) => this.#held.counted(budgetId, slots),
    );
    this.#dependencies = {
      store,
      states,
      clock,
      budgets: this.#budgets,
      held: this.#held,
      leases: new LimitLeases(states, clock),
      onRecovered: (slot) => this.#recovered(slot),
      onFault: (err) => log.error({ err }, 'an operation on limits failed'),
    };
  }

  /**
   * A worker has started.
   * @param slot of the worker: it is started again after it has ended, with the journal of the one before
   */
  join(slot: number, notify: (notice: LimitNotice) => void): LimitSession {
    const session = new LimitSession(slot, notify, this.#dependencies);
    this.#sessions.add(session);
    return session;
  }

  /** A worker has ended, in whatever way. */
  leave(session: LimitSession): void {
    if (this.#sessions.delete(session)) session.leave();
  }

  /** Budgets are counted again; then what the interrupted requests of a slot reserved is released. */
  #recovered(slot: number): void {
    const { accounts, budgets } = this.#held.recovered(slot);
    this.#budgets.recount(budgets);
    for (const accountId of accounts) for (const { notify } of this.#sessions) notify(['lost', accountId]);
  }
}
