import { join } from 'node:path';
import type { Logger } from 'pino';
import { isConnectionFailure } from '../../database/connection-failure.ts';
import { ContentQueue } from '../../gateway/content/content-queue.ts';
import { KeyPolicies } from '../../gateway/content/key-policies.ts';
import { contentGauges } from '../../gateway/metrics/content-gauges.ts';
import type { GatewayMetrics } from '../../gateway/metrics/metrics.ts';
import { contentDaysOf, ContentRetention } from '../../services/content-log/content-retention.ts';
import { ContentSeal } from '../../services/content-log/content-seal.ts';
import { LoggedContentsService } from '../../services/content-log/logged-contents.service.ts';
import { SegmentCompaction } from '../../services/content-log/segment-compaction.ts';
import { TextKeys } from '../../services/content-log/text-keys.ts';
import { SegmentStore } from '../../services/content-log/segment-store.ts';
import { UsageService } from '../../services/usage/usage.service.ts';
import { BlobStore } from '../../storage/blob-store.ts';
import type { Foundation } from '../foundation.ts';

/** How long a reader waits for content that is in memory. */
const MAX_FLUSH_MS = 5_000;

export interface WiredContent {
  readonly queue: ContentQueue;
  readonly service: LoggedContentsService;
  readonly retention: ContentRetention;
  readonly compaction: SegmentCompaction;
  readonly textKeys: TextKeys;
}

/** Logs the content of requests whose account, key and header ask for it. */
export function wireContent(
  { database, dataDir, masterKey }: Pick<Foundation, 'database' | 'dataDir' | 'masterKey'>,
  metrics: GatewayMetrics,
  log: Logger,
): WiredContent {
  const blobs = new BlobStore(database, join(dataDir, 'blobs'));
  const seal = new ContentSeal(masterKey);
  const store = new SegmentStore({ database, blobs, seal, log });
  const queue = new ContentQueue({
    policies: new KeyPolicies(log),
    store,
    isTemporary: isConnectionFailure,
    log,
  });
  for (const gauge of contentGauges(queue, store)) metrics.addGauge(gauge);
  return {
    queue,
    service: new LoggedContentsService({
      database,
      blobs,
      seal,
      usage: new UsageService(database),
      flush: () => queue.flush(MAX_FLUSH_MS),
    }),
    retention: new ContentRetention(database, contentDaysOf(database)),
    compaction: new SegmentCompaction({ database, blobs, log }),
    textKeys: new TextKeys(database),
  };
}
