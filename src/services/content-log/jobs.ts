import { z } from 'zod';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { ContentRetention } from './content-retention.ts';
import type { SegmentCompaction } from './segment-compaction.ts';
import type { TextKeys } from './text-keys.ts';

const nothing = z.strictObject({});

/** What runs regularly for logged content. */
export interface ContentJobs {
  readonly retention: ContentRetention;
  readonly compaction: SegmentCompaction;
  readonly textKeys: TextKeys;
}

export function scheduleContentJobs(queue: JobQueue, { retention, compaction, textKeys }: ContentJobs): void {
  expireContent(queue, retention);
  compactContent(queue, compaction);
  keyLoggedTexts(queue, textKeys);
}

/** Every hour, before the sweep of expired blobs: ends the retention of logged content. */
function expireContent(queue: JobQueue, retention: ContentRetention): void {
  const kind = queue.define(
    'expire-logged-content',
    nothing,
    async (_data, { signal }) => void (await retention.expireOld(new Date(), signal)),
    { timeoutSeconds: 3_600 },
  );
  queue.schedule(kind, '33 * * * *', {});
}

/** Every hour, between the end of retention and the sweep of expired blobs: removes the bytes of what cannot be read. */
function compactContent(queue: JobQueue, compaction: SegmentCompaction): void {
  const kind = queue.define(
    'compact-logged-content',
    nothing,
    async (_data, { signal }) => void (await compaction.compact(new Date(), signal)),
    { timeoutSeconds: 3_600 },
  );
  queue.schedule(kind, '38 * * * *', {});
}

/** Every five minutes: makes texts that were stored by earlier versions as fast to find as others. */
function keyLoggedTexts(queue: JobQueue, keys: TextKeys): void {
  const kind = queue.define('key-logged-texts', nothing, async (_data, { signal }) => void (await keys.add(signal)), {
    timeoutSeconds: 3_600,
    queueAtMostOne: true,
    retries: 0,
  });
  queue.schedule(kind, '*/5 * * * *', {});
}
