import type { ProviderCounts } from '../../../providers/shared/batches/batch-service.ts';
import type { ProviderBatch } from './provider-batch.ts';

/** The counts that a provider reports, within the size of the batch; null where they are known already, or not reported. */
export function newCountsOf(
  { total, counts: known }: Pick<ProviderBatch, 'total' | 'counts'>,
  reported: ProviderCounts | null,
): ProviderCounts | null {
  if (reported === null) return null;
  const succeeded = Math.min(reported.succeeded, total);
  const failed = Math.min(reported.failed, total - succeeded);
  return succeeded === known.succeeded && failed === known.failed ? null : { succeeded, failed };
}
