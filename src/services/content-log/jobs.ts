import { z } from 'zod';
import type { JobKind, JobQueue } from '../../jobs/job-queue.ts';
import type { ContentRetention } from './content-retention.ts';
import type { SegmentCompaction } from './segment-compaction.ts';

const nothing = z.strictObject({});

/** Every hour, before the sweep of expired blobs: ends the retention of logged content. */
export function expireContent(queue: JobQueue, retention: ContentRetention): JobKind<z.infer<typeof nothing>> {
  const kind = queue.define(
    'expire-logged-content',
    nothing,
    async (_data, { signal }) => void (await retention.expireOld(new Date(), signal)),
    { timeoutSeconds: 3_600 },
  );
  queue.schedule(kind, '33 * * * *', {});
  return kind;
}

/** Every hour, between the end of retention and the sweep of expired blobs: removes the bytes of what cannot be read. */
export function compactContent(queue: JobQueue, compaction: SegmentCompaction): JobKind<z.infer<typeof nothing>> {
  const kind = queue.define(
    'compact-logged-content',
    nothing,
    async (_data, { signal }) => void (await compaction.compact(new Date(), signal)),
    { timeoutSeconds: 3_600 },
  );
  queue.schedule(kind, '38 * * * *', {});
  return kind;
}
