import type { JournalDrainer } from '../../gateway/usage/journal/drainer.ts';
import type { UsageJournal } from '../../gateway/usage/journal/usage-journal.ts';
import type { ReadinessReport } from '../../gateway/metrics/readiness.ts';

/**
 * The report of `/readyz`.
 * @param isRebuilt whether the spending of budgets is loaded
 * @param hasOwner whether the first owner exists
 */
export function readiness(
  journal: Pick<UsageJournal, 'failure'>,
  drainer: Pick<JournalDrainer, 'failing'>,
  isRebuilt: boolean,
  hasOwner: boolean,
): ReadinessReport {
  const checks = {
    owner: hasOwner ? 'ok' : 'being created',
    budgets: isRebuilt ? 'ok' : 'loading spending',
    journal: journal.failure ? 'cannot be written' : 'ok',
    database: drainer.failing ? 'not reachable; usage is buffered in the journal' : 'ok',
  };
  // Requests with cached keys succeed without the database. Without the journal no request can be served.
  return { ready: journal.failure === null && isRebuilt && hasOwner, checks };
}
