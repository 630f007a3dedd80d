import { z } from 'zod';
import type { Database } from '../../database/database.ts';
import type { JobKind, JobQueue } from '../../jobs/job-queue.ts';
import type { UsageRetention } from './usage-retention.ts';

const nothing = z.strictObject({});

/** Every night, removes rows of the usage log that are older than their account's retention. */
export function removeOldUsage(queue: JobQueue, retention: UsageRetention): JobKind<z.infer<typeof nothing>> {
  const kind = queue.define(
    'remove-old-usage',
    nothing,
    async (_data, { signal }) => void (await retention.removeOld(new Date(), signal)),
    { timeoutSeconds: 3_600 },
  );
  queue.schedule(kind, '29 2 * * *', {});
  return kind;
}

/**
 * Every day, creates the partitions of this month and the next, so that no request of a new month waits for one. Storing usage
 * creates missing ones as well.
 */
export function createUsagePartitions(queue: JobQueue, database: Database): JobKind<z.infer<typeof nothing>> {
  const kind = queue.define('make-usage-partitions', nothing, async () => {
    await database.query(
      "select ensure_usage_partition(now()), ensure_usage_partition(date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' + interval '32 days')",
    );
  });
  queue.schedule(kind, '17 3 * * *', {});
  return kind;
}
