import type { StoredFile as StoredFileRow } from '../../database/entities/index.ts';
import { publicFileId } from '../../services/files/file-id.ts';
import { readFilePurpose, type FilePurpose as PurposeName } from '../../services/files/new-file.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { FilePurpose, FileStatus, type StoredFile } from './file.types.ts';

const purposes: Readonly<Record<PurposeName, FilePurpose>> = {
  assistants: FilePurpose.ASSISTANTS,
  batch: FilePurpose.BATCH,
  batch_output: FilePurpose.BATCH_OUTPUT,
  'fine-tune': FilePurpose.FINE_TUNE,
  vision: FilePurpose.VISION,
  user_data: FilePurpose.USER_DATA,
  evals: FilePurpose.EVALS,
};

export function toStoredFile({ id, filename, bytes, purpose, createdAt, expiresAt }: StoredFileRow): StoredFile {
  return {
    id: toGlobalId('StoredFile', id),
    fileId: publicFileId(id),
    filename,
    bytes,
    purpose: purposes[readFilePurpose(purpose)],
    status: FileStatus.PROCESSED,
    createdAt,
    expiresAt,
  };
}
