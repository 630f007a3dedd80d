import type { LimitedKey } from '../limited-key.ts';
import { noUsage, type LimitBound, type Reservation } from '../limit-store.ts';
import type { MemoryLimitStore } from '../memory-limit-store.ts';

/** A reservation of a worker. */
export interface OpenReservation {
  readonly key: LimitedKey;
  readonly reservation: Reservation & { bounds: readonly LimitBound[] };
}

interface Held extends OpenReservation {
  readonly slot: number;
  /** Budgets that do not contain the spending of the interrupted request yet. */
  readonly uncounted: Set<string>;
}

/** Budget reservations of workers that ended before they settled them. Each is held until its budgets contain what its request used. */
export class HeldReservations {
  readonly #store: MemoryLimitStore;
  readonly #held = new Set<Held>();
  readonly #recovered = new Set<number>();

  constructor(store: MemoryLimitStore) {
    this.#store = store;
  }

  /** Slots whose interrupted requests are settled in a journal that is drained to the database. */
  recoveredSlots(): Iterable<number> {
    return this.#recovered;
  }

  /** Releases the slots of a reservation at once: its request has ended. What it reserved of budgets is held. */
  hold(slot: number, open: OpenReservation): void {
    const { key, reservation } = open;
    this.#recovered.delete(slot);
    // Of a copy, the store knows no budgets. What it reserved of tokens counts as used.
    this.#store.settle(key, { ...reservation }, { tokens: reservation.tokens, costNano: 0n });
    reservation.bounds = [];
    if (key.budgets.length > 0 && reservation.costNano > 0n)
      this.#held.add({ ...open, slot, uncounted: new Set(key.budgets.map(({ id }) => id)) });
  }

  /** The journal of a slot is recovered. @returns accounts and budgets that have to be counted */
  recovered(slot: number): { readonly accounts: ReadonlySet<string>; readonly budgets: ReadonlySet<string> } {
    const accounts = new Set<string>();
    const budgets = new Set<string>();
    for (const held of this.#held) {
      if (held.slot !== slot) continue;
      this.#recovered.add(slot);
      accounts.add(held.key.accountId);
      for (const id of held.uncounted) budgets.add(id);
    }
    return { accounts, budgets };
  }

  /** A budget contains the spending of these slots' interrupted requests. */
  counted(budgetId: string, slots: ReadonlySet<number>): void {
    for (const held of this.#held) {
      if (!slots.has(held.slot) || !held.uncounted.delete(budgetId) || held.uncounted.size > 0) continue;
      this.#held.delete(held);
      this.#store.settle(held.key, held.reservation, noUsage);
    }
    for (const slot of this.#recovered)
      if (![...this.#held].some((held) => held.slot === slot)) this.#recovered.delete(slot);
  }

  /** A budget was closed: nothing has to be counted in it. */
  closed(budgetId: string): void {
    const all = new Set([...this.#held].map(({ slot }) => slot));
    this.counted(budgetId, all);
  }
}
