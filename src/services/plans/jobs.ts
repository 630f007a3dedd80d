import { z } from 'zod';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { PlansService } from './plans.service.ts';

/** `dueBy` in milliseconds since the epoch: the queue uses the database's clock. */
const schema = z.strictObject({ dueBy: z.int().optional() });

/**
 * Applies pending plan changes when they are due, and checks every hour for missed ones.
 * @returns a function that schedules the changes due at a given time
 */
export function applyPlanChanges(queue: JobQueue, plans: Pick<PlansService, 'applyDue'>): (at: Date) => Promise<void> {
  const kind = queue.define('apply-plan-changes', schema, ({ dueBy }) => plans.applyDue(dueBy));
  queue.schedule(kind, '11 * * * *', {});
  return (at) => queue.send(kind, { dueBy: at.getTime() }, { startAfter: at });
}
