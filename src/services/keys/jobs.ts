import { z } from 'zod';
import type { JobKind, JobQueue } from '../../jobs/job-queue.ts';
import type { ExpiryWarnings } from './expiry-warnings.ts';

const nothing = z.strictObject({});

/** Every hour, sends warnings of keys that expire soon. */
export function warnOfExpiry(queue: JobQueue, warnings: ExpiryWarnings): JobKind<z.infer<typeof nothing>> {
  const kind = queue.define('warn-of-expiry', nothing, (_data, { signal }) => warnings.sendDue(new Date(), signal));
  queue.schedule(kind, '11 * * * *', {});
  return kind;
}
