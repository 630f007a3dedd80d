import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { Session } from '../database/entities/index.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { JobKind, JobQueue } from './job-queue.ts';

const nothing = z.strictObject({});

/** Every hour, removes blobs and sessions whose time is over. Until then nothing serves them any more. */
export function sweepExpired(queue: JobQueue, database: Database, blobs: BlobStore): JobKind<z.infer<typeof nothing>> {
  const kind = queue.define('sweep-expired', nothing, async () => {
    const now = new Date();
    await blobs.sweep(now);
    await database.em().nativeDelete(Session, { $or: [{ expiresAt: { $lte: now } }, { revokedAt: { $lte: now } }] });
  });
  queue.schedule(kind, '41 * * * *', {});
  return kind;
}
