import type { Database } from '../../database/database.ts';
import type { ContentSeal } from '../content-log/content-seal.ts';
import { DatasetExport } from '../datasets/dataset-export.ts';
import { DatasetReader } from '../datasets/dataset-reader.ts';
import { RunExport } from './run-export.ts';
import { RunReader } from './run-reader.ts';

/** For the export of an account: the items of its datasets, and the outputs of their runs. */
export async function* decryptedLines(
  database: Pick<Database, 'query'>,
  seal: Pick<ContentSeal, 'open'>,
  accountId: string,
  onUnreadable: () => void = () => undefined,
): AsyncGenerator<Buffer> {
  yield* new DatasetExport(new DatasetReader(database, seal)).account(accountId, onUnreadable);
  yield* new RunExport(new RunReader(database, seal)).account(accountId, onUnreadable);
}
