import { maxCostUsage, maxVideoUse } from '../../catalogue/prices/max-cost-usage.ts';
import { compileRates, costNano } from '../../catalogue/prices/price.ts';
import { mediaUsage } from '../../catalogue/prices/priced-usage.ts';
import type { Database } from '../../database/database.ts';
import { Video } from '../../database/entities/index.ts';
import type { DeferredReservation } from '../../gateway/limits/limit-store.ts';
import { mapDatabaseErrors } from '../database-availability.ts';

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

/** What budgets reserve for videos that are not billed yet, of an account or of all. @throws SluiceError database_unavailable */
export async function videoReservations(database: Database, accountId: string | null): Promise<DeferredReservation[]> {
  const where = { settledAt: null, ...(accountId !== null && { account: accountId }) };
  return (await mapDatabaseErrors(() => database.em().find(Video, where))).map(videoReservation);
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
