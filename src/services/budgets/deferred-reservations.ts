import type { SpendBound } from '../../gateway/keys/spend-bound.ts';
import type { BudgetStore, DeferredReservation, LimitStore } from '../../gateway/limits/limit-store.ts';

type Reservations = Pick<LimitStore, 'reserveForDeferredCharge' | 'releaseDeferredCharge'> &
  Pick<BudgetStore, 'retain'>;

/** Finds what is reserved for charges that are billed later, of an account or of all. */
export type FindReservations = (accountId: string | null) => Promise<readonly DeferredReservation[]>;

/**
 * Reserves an account's deferred charges in newly opened budgets, and releases all others.
 * @throws what `find` throws
 */
export async function reserveDeferredCharges(
  find: FindReservations,
  store: Reservations,
  budgets: readonly SpendBound[],
): Promise<void> {
  const [first] = budgets;
  if (first === undefined) return;
  const found = await find(first.accountId);
  store.retain(budgets, new Set(found.map(({ id }) => id)));
  if (found.length === 0) return;
  for (const each of found) store.reserveForDeferredCharge(each);
  // What was settled meanwhile was released before it was reserved.
  const left = new Set((await find(first.accountId)).map(({ id }) => id));
  for (const each of found) if (!left.has(each.id)) store.releaseDeferredCharge(each);
}

/** Releases the reservations of charges that another process settled. @throws what `find` throws */
export async function releaseSettledCharges(
  find: FindReservations,
  store: Reservations,
  budgets: readonly SpendBound[],
): Promise<void> {
  if (budgets.length === 0) return;
  store.retain(budgets, new Set((await find(null)).map(({ id }) => id)));
}
