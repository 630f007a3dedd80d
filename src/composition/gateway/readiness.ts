import type { JournalDrainer } from '../../gateway/journal/drainer.ts';
import type { UsageJournal } from '../../gateway/journal/usage-journal.ts';
import type { ReadinessReport } from '../../gateway/readiness.ts';

/**
 * What `/readyz` says.
 * @param isRebuilt whether what budgets have spent is counted
 * @param hasOwner whether the first owner is made, and can sign in
 */
export function readiness(
  journal: Pick<UsageJournal, 'failure'>,
  drainer: Pick<JournalDrainer, 'failing'>,
  isRebuilt: boolean,
  hasOwner: boolean,
): ReadinessReport {
  const checks = {
    owner: hasOwner ? 'ok' : 'being created',
    budgets: isRebuilt ? 'ok' : 'what is spent is being counted',
    journal: journal.failure ? 'cannot be written' : 'ok',
    database: drainer.failing ? 'not reachable; usage waits in the journal' : 'ok',
  };
  // Requests with known keys go on without the database; without the journal nothing may be served.
  return { ready: journal.failure === null && isRebuilt && hasOwner, checks };
}
