import { z } from 'zod';
import type { UsageRetention } from '../services/usage/usage-retention.ts';
import type { JobKind, JobQueue } from './job-queue.ts';

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
