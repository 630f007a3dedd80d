import { SluiceError } from '../errors/index.ts';
import type { UsageJournal } from './journal/usage-journal.ts';
import type { UsageRecord } from './usage-record.ts';

/**
 * Records what became due after its request had ended. It is on disk when this returns. The same record again, by `event_id`
 * and `began_at`, is stored once.
 * @throws SluiceError metering_unavailable
 */
export function recordLateBill(journal: UsageJournal, { event_id, ...record }: UsageRecord): void {
  // Every line of the journal begins with its event.
  journal.settleAdopted(JSON.stringify({ event_id, ...record }));
  journal.flush();
  if (journal.failure) throw new SluiceError('metering_unavailable', { retryAfterMs: 1_000, cause: journal.failure });
}
