import type { JournalDrainer } from '../../gateway/usage/journal/drainer.ts';
import type { UsageJournal } from '../../gateway/usage/journal/usage-journal.ts';
import type { ReadinessReport } from '../../gateway/metrics/readiness.ts';

export interface ProcessState {
  /** Whether the first owner exists. */
  readonly hasOwner: boolean;
  /** A load balancer must no longer choose this process. */
  readonly isStopping: boolean;
}

/**
 * The report of `/readyz`.
 * @param isRebuilt whether the spending of budgets is loaded
 */
export function readiness(
  journal: Pick<UsageJournal, 'failure'>,
  drainer: Pick<JournalDrainer, 'failing'>,
  isRebuilt: boolean,
  { hasOwner, isStopping }: ProcessState,
): ReadinessReport {
  const checks = {
    process: isStopping ? 'stopping' : 'ok',
    owner: hasOwner ? 'ok' : 'being created',
    budgets: isRebuilt ? 'ok' : 'loading spending',
    journal: journal.failure ? 'cannot be written' : 'ok',
    database: drainer.failing ? 'not reachable; usage is buffered in the journal' : 'ok',
  };
  // Requests with cached keys succeed without the database. Without the journal no request can be served.
  return { ready: !isStopping && journal.failure === null && isRebuilt && hasOwner, checks };
}
