import type { Database } from '../../database/database.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import { applyPlanChanges } from '../../services/plans/jobs.ts';
import type { PlanCatalogue } from '../../services/plans/plan.ts';
import { PlansService } from '../../services/plans/plans.service.ts';
import { watchPlanChanges } from '../../services/plans/watch-plan-changes.ts';

export interface PlansOptions {
  readonly database: Database;
  readonly jobs: JobQueue;
  /** As configured now. */
  readonly plans: () => PlanCatalogue;
  /** Called when the plan of an account may have changed. */
  readonly changed: (accountId: string) => void;
  /** Called when the time zone of an account changed. */
  readonly budgetsChanged: (accountId: string) => Promise<void>;
}

export interface WiredPlans {
  readonly service: PlansService;
  stop(): void;
}

/** Wires plan changes. Call it before the job queue starts. */
export function wirePlans({ jobs, ...dependencies }: PlansOptions): WiredPlans {
  const { database, changed } = dependencies;
  const service: PlansService = new PlansService({ ...dependencies, applyAt: (at) => applyAt(at) });
  const applyAt = applyPlanChanges(jobs, service);
  const stop = watchPlanChanges(database.changes, changed);
  return { service, stop };
}
