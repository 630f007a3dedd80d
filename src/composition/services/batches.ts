import type { Logger } from 'pino';
import { systemClock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { batchResponses } from '../../gateway/batches/open-response.ts';
import { BatchRunner, type BatchRunnerDependencies } from '../../gateway/batches/batch-runner.ts';
import { cancelAtProviders } from '../../gateway/batches/provider/cancel-batches.ts';
import { ChargedEvents } from '../../gateway/batches/provider/charged-events.ts';
import type { BatchKeys } from '../../gateway/batches/turn-dependencies.ts';
import type { LeasedBatch } from '../../gateway/batches/batch.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import { ObjectChanges } from '../../live/object-changes.ts';
import type { Callers } from '../../services/authorization/callers.ts';
import { BatchLeases } from '../../services/batches/batch-leases.ts';
import { BatchWatcher } from '../../services/batches/batch-watcher.ts';
import { StoredProviderBatches } from '../../services/batches/provider-batch-store.ts';
import { BatchesService } from '../../services/batches/batches.service.ts';
import { RunBatches } from '../../services/dataset-runs/run-batches.ts';
import { removeOldBatches } from '../../services/batches/jobs.ts';
import { readConversationId } from '../../services/conversations/conversation-id.ts';
import type { FilesService } from '../../services/files/files.service.ts';
import { responseNames } from '../../services/responses/response-id.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import type { WiredGateway } from '../gateway/wire-gateway.ts';
import { clientObjects } from './client-objects.ts';
import type { RunInputs } from './datasets.ts';
import type { WiredResponses } from './responses.ts';
import { storedKeys, type KeyOwner } from './stored-keys.ts';

export interface BatchesOptions {
  readonly blobs: BlobStore;
  readonly files: FilesService;
  readonly responses: WiredResponses;
  readonly callers: Callers;
  readonly datasetRuns: RunInputs;
  readonly jobs: JobQueue;
  readonly log: Pick<Logger, 'warn'>;
}

export interface WiredBatches {
  readonly service: BatchesService;
  readonly watcher: BatchWatcher;
  readonly runner: Pick<BatchRunner, 'look' | 'cancel'>;
  /** Runs batches of an earlier process first. Call it after usage was recovered and the server listens. */
  start(): Promise<void>;
  /** Starts no more requests. Call it before the pipeline stops. */
  beginStop(): void;
  /** Waits until results are stored. Call it after the pipeline has stopped. */
  stop(): Promise<void>;
}

/** Wires batches and their runner. Call it before the job queue starts. */
export function wireBatches(database: Database, gateway: WiredGateway, options: BatchesOptions): WiredBatches {
  const { blobs, files, jobs, responses, callers, datasetRuns, log } = options;
  const { pipeline, redis } = gateway;
  const now = (): number => systemClock.now();
  const changes = new ObjectChanges({ kind: 'batches', bus: redis.bus });
  const onChanged = (accountId: string, id: string): void => changes.changed(accountId, id);
  const store = new RunBatches({ database, blobs, files, onChanged, now, ...datasetRuns });
  const openResponse = batchResponses({
    pipeline,
    objects: responses.objects,
    names: responseNames,
    earlier: responses.earlier,
    reachOf: (key) => callers.reachOf(key, 'responses.read'),
    store: (response) => responses.responses.storeSoon(response),
    conversations: responses.conversations,
    isConversation: (id) => readConversationId(id) !== null,
  });
  const keys = batchKeys(gateway, callers);
  const runner = new BatchRunner({
    pipeline,
    limits: redis.limits,
    store,
    providerBatches: new StoredProviderBatches(database, store, onChanged),
    connection: connectionOf(gateway),
    charged: new ChargedEvents(),
    keys,
    openResponse,
    objects: clientObjects(responses.objects, callers),
    log,
  });
  const service = new BatchesService({
    database,
    blobs,
    onCreated: () => runner.look(),
    onCancelled: (id) => runner.cancel(id),
    onChanged,
    now,
  });
  removeOldBatches(jobs, database);
  return {
    service,
    watcher: new BatchWatcher({ database, batches: service, changes }),
    runner,
    start: async () => {
      // The embedded database is only open in this process.
      if (database.kind === 'embedded') await store.endAll();
      runner.start();
    },
    beginStop: () => runner.beginStop(),
    stop: async () => {
      await runner.stop();
      changes.close();
    },
  };
}

function connectionOf({ accounts, router }: WiredGateway): BatchRunnerDependencies['connection'] {
  return async (id, accountId) => {
    await accounts.connections.ready(accountId);
    return router.connection(id, accountId);
  };
}

/** Cancels the batches that providers have of an account. */
export function batchCancellation(
  database: Database,
  gateway: WiredGateway,
  log: Pick<Logger, 'warn'>,
): (accountId: string, signal: AbortSignal) => Promise<void> {
  const store = new StoredProviderBatches(database, new BatchLeases(database));
  const dependencies = { parts: (id: string) => store.parts(id), connection: connectionOf(gateway), log };
  return async (accountId, signal) => cancelAtProviders(dependencies, accountId, await store.openOf(accountId), signal);
}

/** The keys of batches. */
function batchKeys(gateway: WiredGateway, callers: Callers): BatchKeys {
  const keys = storedKeys(gateway, callers);
  const ownerOf = ({ apiKeyId: id, accountId, memberId, isBySession }: LeasedBatch): KeyOwner => ({
    id,
    accountId,
    memberId,
    isBySession,
  });
  return {
    find: (batch) => keys.find(ownerOf(batch)),
    findBilled: (batch) => keys.findBilled(ownerOf(batch)),
  };
}
