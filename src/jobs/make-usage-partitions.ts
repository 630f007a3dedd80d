import { z } from 'zod';
import type { Database } from '../database/database.ts';
import type { JobKind, JobQueue } from './job-queue.ts';

const nothing = z.strictObject({});

/**
 * Every day, creates the partitions of this month and the next, so that no request of a new month waits for one. Storing usage
 * creates missing ones as well.
 */
export function makeUsagePartitions(queue: JobQueue, database: Database): JobKind<z.infer<typeof nothing>> {
  const kind = queue.define('make-usage-partitions', nothing, async () => {
    await database.query(
      "select ensure_usage_partition(now()), ensure_usage_partition(date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' + interval '32 days')",
    );
  });
  queue.schedule(kind, '17 3 * * *', {});
  return kind;
}
