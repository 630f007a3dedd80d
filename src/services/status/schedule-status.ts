import type { Database } from '../../database/database.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import { InstanceStatusService } from './instance-status.ts';
import { StatusDays, updateStatusDays } from './status-days.ts';

/** The status of the operator's providers, and the jobs behind it. Call it before the job queue starts. */
export function scheduleStatus(
  database: Database,
  jobs: JobQueue,
  providers: () => readonly string[],
): InstanceStatusService {
  updateStatusDays(jobs, new StatusDays(database));
  return new InstanceStatusService(database, providers);
}
