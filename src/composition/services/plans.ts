import type { Database } from '../../database/database.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import { applyPlanChanges } from '../../services/plans/apply-plan-changes.ts';
import type { PlanBook } from '../../services/plans/plan.ts';
import { PlansService } from '../../services/plans/plans.service.ts';
import { watchPlanChanges } from '../../services/plans/watch-plan-changes.ts';

export interface PlansOptions {
  readonly database: Database;
  readonly jobs: JobQueue;
  /** As configured now. */
  readonly plans: () => PlanBook;
  /** Told of an account whose plan may be another now. */
  readonly changed: (accountId: string) => void;
  /** Told of an account whose time zone is another now. */
  readonly budgetsChanged: (accountId: string) => Promise<void>;
}

export interface WiredPlans {
  readonly service: PlansService;
  stop(): void;
}

/** Puts together what changes accounts' plans. Before the queue is started. */
export function wirePlans({ jobs, ...parts }: PlansOptions): WiredPlans {
  const { database, changed } = parts;
  const service: PlansService = new PlansService({ ...parts, applyAt: (at) => applyAt(at) });
  const applyAt = applyPlanChanges(jobs, service);
  const stop = watchPlanChanges(database.changes, changed);
  return { service, stop };
}
