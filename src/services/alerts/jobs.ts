import { z } from 'zod';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { AlertDeliveries } from './deliveries.ts';
import type { AlertEvaluator } from './evaluator.ts';

const nothing = z.strictObject({});

/** Every minute, on one process: evaluates all rules, and sends notifications that are due. */
export function evaluateAlerts(
  queue: JobQueue,
  evaluator: Pick<AlertEvaluator, 'evaluateAll'>,
  deliveries: Pick<AlertDeliveries, 'sendDue'>,
): void {
  const kind = queue.define(
    'evaluate-alerts',
    nothing,
    async (_data, { signal }) => {
      await deliveries.sendDue();
      await evaluator.evaluateAll(signal);
    },
    // The next minute is the retry.
    { retries: 0, queueAtMostOne: true },
  );
  queue.schedule(kind, '* * * * *', {});
}
