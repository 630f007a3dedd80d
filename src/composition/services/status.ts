import type { Database } from '../../database/database.ts';
import type { ModelRouter } from '../../gateway/routing/model-router.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import { InstanceStatusService } from '../../services/status/instance-status.ts';
import { StatusDays, updateStatusDays } from '../../services/status/status-days.ts';

/** The status of the operator's connections. Call it before the job queue starts. */
export function wireStatus(
  database: Database,
  jobs: JobQueue,
  router: Pick<ModelRouter, 'connections'>,
): InstanceStatusService {
  updateStatusDays(jobs, new StatusDays(database));
  return new InstanceStatusService(database, () => router.connections.map(({ provider }) => provider));
}
