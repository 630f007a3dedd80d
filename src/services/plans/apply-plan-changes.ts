import { z } from 'zod';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { PlansService } from './plans.service.ts';

/** `dueBy` in milliseconds since the epoch: the queue goes by the database's clock. */
const schema = z.strictObject({ dueBy: z.int().optional() });

/**
 * Applies pending changes of plans when they fall due, and looks every hour for what was missed.
 * @returns has what falls due at a moment applied then
 */
export function applyPlanChanges(queue: JobQueue, plans: Pick<PlansService, 'applyDue'>): (at: Date) => Promise<void> {
  const kind = queue.define('apply-plan-changes', schema, ({ dueBy }) => plans.applyDue(dueBy));
  queue.schedule(kind, '11 * * * *', {});
  return (at) => queue.send(kind, { dueBy: at.getTime() }, { startAfter: at });
}
