import { z } from 'zod';
import type { AccountErasure } from '../services/members/account-erasure.ts';
import type { JobKind, JobQueue } from './job-queue.ts';

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
