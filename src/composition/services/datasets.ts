import type { Environment } from '../../config/environment.ts';
import type { Database } from '../../database/database.ts';
import type { BatchRunner } from '../../gateway/batches/batch-runner.ts';
import { inputLineOf } from '../../gateway/batches/input-lines.ts';
import { lineIds } from '../../gateway/batches/line-identity.ts';
import { eventIdOf } from '../../gateway/event-id.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { ModelListing } from '../../gateway/keys/model-directory.ts';
import { replayRequest } from '../../gateway/replay/replay-request.ts';
import { replayResponse } from '../../gateway/replay/replay-response.ts';
import { usableModel } from '../../gateway/routing/models/usable-models.ts';
import { ContentSeal } from '../../services/content-log/content-seal.ts';
import type { LoggedContentsService } from '../../services/content-log/logged-contents.service.ts';
import { decryptedLines } from '../../services/dataset-runs/decrypted-lines.ts';
import { DatasetRunsService } from '../../services/dataset-runs/dataset-runs.service.ts';
import { endRuns } from '../../services/dataset-runs/end-runs.ts';
import type { RunBatchesDependencies } from '../../services/dataset-runs/run-batches.ts';
import { RunEstimates } from '../../services/dataset-runs/run-estimates.ts';
import { RunLines } from '../../services/dataset-runs/run-lines.ts';
import { RunReader } from '../../services/dataset-runs/run-reader.ts';
import { DatasetExport } from '../../services/datasets/dataset-export.ts';
import { DatasetReader } from '../../services/datasets/dataset-reader.ts';
import { DatasetsService } from '../../services/datasets/datasets.service.ts';
import { ItemCopies } from '../../services/datasets/item-copies.ts';
import type { DecryptedLines } from '../../services/members/account-export.ts';
import { UsageService } from '../../services/usage/usage.service.ts';
import type { WiredGateway } from '../gateway/wire-gateway.ts';
import type { MasterKeys } from '../../secrets/master-keys.ts';

const MEGABYTE = 1024 * 1024;

export interface DatasetsOptions {
  readonly database: Database;
  readonly masterKeys: MasterKeys;
  readonly contents: LoggedContentsService;
  readonly environment: Pick<Environment, 'SLUICE_DATASET_ITEMS' | 'SLUICE_DATASET_MEGABYTES'>;
}

export interface WiredDatasets {
  readonly service: DatasetsService;
  readonly reader: DatasetReader;
  readonly exports: DatasetExport;
  readonly decrypted: DecryptedLines;
}

/** Wires datasets: copies of logged content, converted to chats. */
export function wireDatasets({ database, masterKeys, contents, environment }: DatasetsOptions): WiredDatasets {
  const seal = new ContentSeal(masterKeys);
  const reader = new DatasetReader(database, seal);
  const service = new DatasetsService({
    database,
    seal,
    reader,
    endRuns,
    copies: new ItemCopies({
      contents,
      usage: new UsageService(database),
      convert: { request: replayRequest, response: replayResponse },
    }),
    maxItems: environment.SLUICE_DATASET_ITEMS,
    maxBytes: environment.SLUICE_DATASET_MEGABYTES * MEGABYTE,
  });
  return {
    service,
    reader,
    exports: new DatasetExport(reader),
    decrypted: (accountId) => decryptedLines(database, seal, accountId),
  };
}

export interface WiredDatasetRuns {
  readonly service: DatasetRunsService;
  readonly reader: RunReader;
  readonly estimates: RunEstimates;
}

/** What the batch runner needs to run the items of datasets. */
export type RunInputs = Pick<RunBatchesDependencies, 'lines' | 'storeUsage' | 'eventOf'>;

export function wireRunInputs(database: Database, masterKeys: MasterKeys, { drainer }: WiredGateway): RunInputs {
  const lines = new RunLines({
    database,
    seal: new ContentSeal(masterKeys),
    masterKeys,
    inputLine: inputLineOf,
    eventIdOf,
    messageOf: replayResponse,
  });
  return { lines, storeUsage: () => drainer.drain(), eventOf: (...line) => lineIds(...line).eventId };
}

/** Wires runs of datasets, which the batch runner runs. */
export function wireDatasetRuns(
  { database, masterKeys, environment }: Pick<DatasetsOptions, 'database' | 'masterKeys' | 'environment'>,
  { router }: WiredGateway,
  runner: Pick<BatchRunner, 'look' | 'cancel'>,
): WiredDatasetRuns {
  const seal = new ContentSeal(masterKeys);
  const reader = new RunReader(database, seal);
  const usable = (key: KeyRecord, name: string): ModelListing | undefined => usableModel(router, key, name);
  const service = new DatasetRunsService({
    database,
    reader,
    usableModel: usable,
    maxBytes: environment.SLUICE_DATASET_MEGABYTES * MEGABYTE,
    onCreated: () => runner.look(),
    onCancelled: (id) => runner.cancel(id),
  });
  const datasets = new DatasetReader(database, seal);
  return { service, reader, estimates: new RunEstimates({ database, datasets, usableModel: usable }) };
}
