import { z } from 'zod';
import type { Database } from '../../database/database.ts';
import {
  AccessToken,
  Invitation,
  MailToken,
  PendingSignUp,
  Session,
  SpentToken,
} from '../../database/entities/index.ts';
import type { JobKind, JobQueue } from '../../jobs/job-queue.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import type { ExpiringStore } from './expiring-store.ts';

/** Recently sent mail still counts toward the hourly limit. */
const HOUR_MS = 3_600_000;

const nothing = z.strictObject({});
/** How long an expired invitation can be resent; then its address is deleted. */
const RETENTION_MS = 30 * 86_400_000;

/** Every hour, removes expired files, uploads, blobs, sessions, tokens and invitations. They are rejected from their expiry on. */
export function sweepExpired(
  queue: JobQueue,
  database: Database,
  blobs: BlobStore,
  stores: readonly ExpiringStore[],
): JobKind<z.infer<typeof nothing>> {
  const kind = queue.define('sweep-expired', nothing, async () => {
    const now = new Date();
    for (const store of stores) await store.removeExpired();
    await blobs.sweep(now);
    await database.em().nativeDelete(AccessToken, { expiresAt: { $lte: now } });
    await database.em().nativeDelete(SpentToken, { expiresAt: { $lte: now } });
    await database.em().nativeDelete(MailToken, { expiresAt: { $lte: new Date(now.getTime() - HOUR_MS) } });
    await database.em().nativeDelete(PendingSignUp, { expiresAt: { $lte: now } });
    await database.em().nativeDelete(Session, { $or: [{ expiresAt: { $lte: now } }, { revokedAt: { $lte: now } }] });
    const longOver = { expiresAt: { $lte: new Date(now.getTime() - RETENTION_MS) } };
    await database.em().nativeDelete(Invitation, longOver);
  });
  queue.schedule(kind, '41 * * * *', {});
  return kind;
}
