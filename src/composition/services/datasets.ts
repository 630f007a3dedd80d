import type { Database } from '../../database/database.ts';
import type { Environment } from '../../config/environment.ts';
import { replayRequest } from '../../gateway/replay/replay-request.ts';
import { replayResponse } from '../../gateway/replay/replay-response.ts';
import { ContentSeal } from '../../services/content-log/content-seal.ts';
import type { LoggedContentsService } from '../../services/content-log/logged-contents.service.ts';
import { DatasetExport } from '../../services/datasets/dataset-export.ts';
import { DatasetReader } from '../../services/datasets/dataset-reader.ts';
import { DatasetsService } from '../../services/datasets/datasets.service.ts';
import { ItemCopies } from '../../services/datasets/item-copies.ts';
import { UsageService } from '../../services/usage/usage.service.ts';

const MEGABYTE = 1024 * 1024;

export interface DatasetsOptions {
  readonly database: Database;
  readonly masterKey: string;
  readonly contents: LoggedContentsService;
  readonly environment: Pick<Environment, 'SLUICE_DATASET_ITEMS' | 'SLUICE_DATASET_MEGABYTES'>;
}

export interface WiredDatasets {
  readonly service: DatasetsService;
  readonly reader: DatasetReader;
  readonly exports: DatasetExport;
}

/** Wires datasets: copies of logged content, converted to chats. */
export function wireDatasets({ database, masterKey, contents, environment }: DatasetsOptions): WiredDatasets {
  const seal = new ContentSeal(masterKey);
  const reader = new DatasetReader(database, seal);
  const service = new DatasetsService({
    database,
    seal,
    reader,
    copies: new ItemCopies({
      contents,
      usage: new UsageService(database),
      convert: { request: replayRequest, response: replayResponse },
    }),
    maxItems: environment.SLUICE_DATASET_ITEMS,
    maxBytes: environment.SLUICE_DATASET_MEGABYTES * MEGABYTE,
  });
  return { service, reader, exports: new DatasetExport(reader) };
}
