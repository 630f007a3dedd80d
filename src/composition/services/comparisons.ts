import type { Logger } from 'pino';
import { systemClock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { SluiceError } from '../../errors/index.ts';
import { ComparisonRuns } from '../../gateway/comparisons/comparison-runs.ts';
import type { ModelDirectory } from '../../gateway/keys/model-directory.ts';
import type { Pipeline } from '../../gateway/pipeline.ts';
import type { RemoteFeeds } from '../../live/feeds/remote-feeds.ts';
import { ComparisonRows } from '../../services/comparisons/comparison-rows.ts';
import { ComparisonsService } from '../../services/comparisons/comparisons.service.ts';
import { LaneRows } from '../../services/comparisons/lane-rows.ts';
import type { MediaService } from '../../services/media/media.service.ts';
import type { BlobStore } from '../../storage/blob-store.ts';

const LINK_LIFETIME_MS = 3_600_000;
const MAX_FILE_BYTES = 128 * 1024 * 1024;

export interface ComparisonsOptions {
  readonly database: Database;
  readonly pipeline: Pipeline;
  readonly models: Pick<ModelDirectory, 'find'>;
  readonly media: MediaService;
  readonly blobs: BlobStore;
  /** Null where no other worker runs comparisons. */
  readonly feeds: RemoteFeeds | null;
  readonly log: Pick<Logger, 'warn'>;
}

export interface WiredComparisons {
  readonly service: ComparisonsService;
  /** Saves pending results. Call it after the last request ended and before the database is closed. */
  stop(): Promise<void>;
}

/** Wires comparisons: their lanes and the storage of results. */
export function wireComparisons(options: ComparisonsOptions): WiredComparisons {
  const { database, pipeline, models, media, blobs, feeds, log } = options;
  const onFault = (err: unknown): void => {
    // An unavailable database is logged elsewhere.
    if (err instanceof SluiceError && err.code === 'database_unavailable') return;
    log.warn({ err }, 'saving comparisons failed');
  };
  const store = new LaneRows(database);
  const runs = new ComparisonRuns({
    pipeline,
    models,
    media,
    store,
    feeds,
    onSaveError: onFault,
    storeFile: async (accountId, { contentType, bytes }) => {
      // Without expiry: it is deleted with its comparison.
      const meta = { accountId, contentType, expiresAt: null, sizeLimit: MAX_FILE_BYTES };
      const { id, size } = await blobs.put(bytes, meta);
      return { blobId: id, contentType, size };
    },
  });
  const service = new ComparisonsService({
    rows: new ComparisonRows(database),
    runs,
    discard: (accountId, blobId) => blobs.delete(blobId, accountId),
    linkTo: (blobId) => media.link(blobId, '', new Date(systemClock.now() + LINK_LIFETIME_MS)),
  });
  // The embedded database is only open in this process.
  store.start(database.kind === 'embedded', onFault);
  return {
    service,
    stop: async () => {
      store.stop();
      await runs.stop();
    },
  };
}
