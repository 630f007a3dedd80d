import { maxCostUsage, maxVideoUse } from '../../catalogue/prices/max-cost-usage.ts';
import { compileRates, costNano } from '../../catalogue/prices/price.ts';
import { mediaUsage } from '../../catalogue/prices/priced-usage.ts';
import type { Database } from '../../database/database.ts';
import { Video } from '../../database/entities/index.ts';
import type { SpendBound } from '../../gateway/keys/spend-bound.ts';
import type { BudgetStore, LimitStore, DeferredReservation } from '../../gateway/limits/limit-store.ts';
import { mapDatabaseErrors } from '../database-availability.ts';

type Reservations = Pick<LimitStore, 'reserveForDeferredCharge' | 'releaseDeferredCharge'> &
  Pick<BudgetStore, 'retain'>;
type ReservedVideo = Pick<
  Video,
  'id' | 'account' | 'apiKeyId' | 'memberId' | 'seconds' | 'size' | 'rates' | 'markupPpm'
>;

/** The maximum cost of a running video, reserved in its budgets until it is billed. */
export function videoReservation({
  id,
  account,
  apiKeyId: keyId,
  memberId,
  ...made
}: ReservedVideo): DeferredReservation {
  // Whether the account has an allowance is not known here.
  const spender = { accountId: account.id, keyId, memberId, hasAllowance: true };
  return { id, spender, costNano: maxVideoCost(made) };
}

/**
 * Reserves the maximum cost of an account's unsettled videos in newly opened budgets, and releases all others.
 * @throws SluiceError database_unavailable
 */
export async function reserveForUnsettledVideos(
  database: Database,
  holds: Reservations,
  budgets: readonly SpendBound[],
): Promise<void> {
  const [first] = budgets;
  if (first === undefined) return;
  const unsettled = (): Promise<Video[]> =>
    mapDatabaseErrors(() => database.em().find(Video, { account: first.accountId, settledAt: null }));
  const held = (await unsettled()).map(videoReservation);
  holds.retain(budgets, new Set(held.map(({ id }) => id)));
  if (held.length === 0) return;
  for (const hold of held) holds.reserveForDeferredCharge(hold);
  // A video that was settled meanwhile was released before it was reserved.
  const left = new Set((await unsettled()).map(({ id }) => id));
  for (const hold of held) if (!left.has(hold.id)) holds.releaseDeferredCharge(hold);
}

/** Releases the reservations of videos that another process settled. @throws SluiceError database_unavailable */
export async function releaseSettledVideos(
  database: Database,
  holds: Reservations,
  budgets: readonly SpendBound[],
): Promise<void> {
  if (budgets.length === 0) return;
  const rows = await mapDatabaseErrors(() =>
    database.query<{ id: string }>('select id from videos where settled_at is null'),
  );
  holds.retain(budgets, new Set(rows.map(({ id }) => id)));
}

function maxVideoCost({
  seconds,
  size,
  rates,
  markupPpm,
}: Pick<Video, 'seconds' | 'size' | 'rates' | 'markupPpm'>): bigint {
  if (rates === null) return 0n;
  const compiled = compileRates(rates);
  return costNano(compiled, mediaUsage([maxCostUsage(compiled, maxVideoUse(seconds, size))]), markupPpm ?? 0);
}
