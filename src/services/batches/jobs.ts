import { z } from 'zod';
import type { Database } from '../../database/database.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import { mapDatabaseErrors } from '../database-availability.ts';

const nothing = z.strictObject({});
const BATCH_ROWS = 100;

const removeSome = `
delete from batches where id in (
  select id from batches where removed_after <= clock_timestamp() and ended_at is not null order by removed_after limit $1
) returning id`;

/** Every hour, removes old batches. Their files expire by themselves. */
export function removeOldBatches(queue: JobQueue, database: Database): void {
  const kind = queue.define('remove-old-batches', nothing, async (_data, { signal }) => {
    while (!signal.aborted) {
      const removed = await mapDatabaseErrors(() => database.query(removeSome, [BATCH_ROWS]));
      if (removed.length < BATCH_ROWS) return;
    }
  });
  queue.schedule(kind, '53 * * * *', {});
}
