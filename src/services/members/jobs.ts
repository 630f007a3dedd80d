import { z } from 'zod';
import type { JobKind, JobQueue } from '../../jobs/job-queue.ts';
import type { AccountErasure } from './account-erasure.ts';

const nothing = z.strictObject({});

/** Every hour, erases accounts whose grace period has ended. */
export function eraseAccounts(queue: JobQueue, erasure: AccountErasure): JobKind<z.infer<typeof nothing>> {
  const kind = queue.define(
    'erase-accounts',
    nothing,
    async (_data, { signal }) => void (await erasure.eraseDue(new Date(), signal)),
    { timeoutSeconds: 3_600 },
  );
  queue.schedule(kind, '53 * * * *', {});
  return kind;
}
