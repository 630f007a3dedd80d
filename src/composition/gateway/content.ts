import { join } from 'node:path';
import type { Logger } from 'pino';
import type { ContentStore } from '../../gateway/content/content-log.ts';
import { ContentQueue } from '../../gateway/content/content-queue.ts';
import { DropJournal } from '../../gateway/usage/journal/drop-journal.ts';
import { KeyPolicies } from '../../gateway/content/key-policies.ts';
import { contentGauges } from '../../gateway/metrics/content-gauges.ts';
import type { GatewayMetrics } from '../../gateway/metrics/metrics.ts';
import { contentDaysOf, ContentRetention } from '../../services/content-log/content-retention.ts';
import { ContentSeal } from '../../services/content-log/content-seal.ts';
import { DroppedContents } from '../../services/content-log/dropped-contents.ts';
import { LoggedContentsService } from '../../services/content-log/logged-contents.service.ts';
import { SegmentCompaction } from '../../services/content-log/segment-compaction.ts';
import { TextKeys } from '../../services/content-log/text-keys.ts';
import { isOutage } from '../../services/content-log/segment-rows.ts';
import { SegmentStore } from '../../services/content-log/segment-store.ts';
import { UsageService } from '../../services/usage/usage.service.ts';
import type { Foundation } from '../foundation.ts';
import type { WiredTelemetry } from '../telemetry.ts';
import { JOURNALS } from '../worker-folders.ts';

/** How long a reader waits for content that is in memory. */
const MAX_FLUSH_MS = 5_000;

export interface WiredContent {
  readonly queue: ContentQueue;
  readonly drops: DropJournal;
  readonly service: LoggedContentsService;
  readonly retention: ContentRetention;
  readonly compaction: SegmentCompaction;
  readonly textKeys: TextKeys;
}

/** Logs the content of requests whose account, key and header ask for it. */
export function wireContent(
  { database, processDir, masterKeys, storage: { blobs } }: Foundation,
  metrics: GatewayMetrics,
  log: Logger,
  onRedacted: WiredTelemetry['contentStored'],
): WiredContent {
  const seal = new ContentSeal(masterKeys);
  const store = new SegmentStore({ database, blobs, seal, log });
  const drops = new DropJournal({
    folder: join(processDir, JOURNALS.droppedContent),
    store: new DroppedContents({ database, log }),
    log,
  });
  drops.start();
  const queue = new ContentQueue({
    policies: new KeyPolicies(log),
    store: onRedacted === null ? store : observed(store, onRedacted),
    drops,
    isTemporary: isOutage,
    log,
  });
  for (const gauge of contentGauges(queue, store, drops)) metrics.addGauge(gauge);
  return {
    queue,
    drops,
    service: new LoggedContentsService({
      database,
      blobs,
      seal,
      usage: new UsageService(database),
      flush: (accountId) => queue.flush(MAX_FLUSH_MS, accountId),
    }),
    retention: new ContentRetention(database, contentDaysOf(database)),
    compaction: new SegmentCompaction({ database, blobs, log }),
    textKeys: new TextKeys(database),
  };
}

/** Shows content, which is redacted, before it is stored: spans contain no other. */
function observed(store: ContentStore, onRedacted: NonNullable<WiredTelemetry['contentStored']>): ContentStore {
  return {
    store: (batch) => {
      onRedacted(batch);
      return store.store(batch);
    },
  };
}
