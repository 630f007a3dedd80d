import type { DeferredReservation, LimitStore } from '../../limits/limit-store.ts';
import type { LeasedBatch } from '../batch.ts';
import type { ProviderBatchDependencies } from './dependencies.ts';
import type { ProviderBatch } from './provider-batch.ts';

type Owner = Pick<LeasedBatch, 'accountId' | 'apiKeyId' | 'memberId'>;

/** The maximum cost of a provider's batch, reserved in the budgets of its key until its lines are billed. */
function reservationOf(
  { accountId, apiKeyId: keyId, memberId }: Owner,
  { id, reservedNano: costNano }: Pick<ProviderBatch, 'id' | 'reservedNano'>,
): DeferredReservation {
  // Whether the account has an allowance is not known here.
  return { id, spender: { accountId, keyId, memberId, hasAllowance: true }, costNano };
}

/** Reserves the maximum cost of a batch, in place of the smaller one of its earlier lines. */
export function reserveBatch(
  limits: Pick<LimitStore, 'reserveForDeferredCharge'>,
  owner: Owner,
  batch: ProviderBatch,
): void {
  limits.reserveForDeferredCharge(reservationOf(owner, batch));
}

/** Releases what budgets have reserved for batches whose lines are billed. */
export async function releaseDelivered(
  { limits, providerBatches }: ProviderBatchDependencies,
  batch: LeasedBatch,
  batches: readonly ProviderBatch[],
): Promise<void> {
  for (const each of batches) {
    if (each.stage === 'delivered') continue;
    await providerBatches.change(batch, each.id, { stage: 'delivered' });
    limits.releaseDeferredCharge(reservationOf(batch, each));
  }
}
