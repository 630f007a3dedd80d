import type { JournalDrainer } from './gateway/journal/drainer.ts';
import type { UsageJournal } from './gateway/journal/usage-journal.ts';
import type { ReadinessReport } from './gateway/readiness.ts';

/** What `/readyz` says. @param isRebuilt whether what budgets have spent is counted */
export function readiness(journal: UsageJournal, drainer: JournalDrainer, isRebuilt: boolean): ReadinessReport {
  const checks = {
    budgets: isRebuilt ? 'ok' : 'what is spent is being counted',
    journal: journal.failure ? 'cannot be written' : 'ok',
    database: drainer.failing ? 'not reachable; usage waits in the journal' : 'ok',
  };
  // Requests with known keys go on without the database; without the journal nothing may be served.
  return { ready: journal.failure === null && isRebuilt, checks };
}
