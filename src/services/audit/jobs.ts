import { z } from 'zod';
import type { JobKind, JobQueue } from '../../jobs/job-queue.ts';
import type { AuditRetention } from './audit-retention.ts';

const nothing = z.strictObject({});

/** Every night, removes entries of the audit log that are older than the configured retention. */
export function removeOldAudit(queue: JobQueue, retention: AuditRetention): JobKind<z.infer<typeof nothing>> {
  const kind = queue.define(
    'remove-old-audit',
    nothing,
    async (_data, { signal }) => void (await retention.removeOld(new Date(), signal)),
    { timeoutSeconds: 3_600 },
  );
  queue.schedule(kind, '11 4 * * *', {});
  return kind;
}
