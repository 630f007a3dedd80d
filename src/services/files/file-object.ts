import type { StoredFile } from '../../database/entities/index.ts';
import { publicFileId } from './file-id.ts';

/** OpenAI's object of a file. Source: OpenAI's API document, OpenAIFile. */
export interface FileObject {
  readonly id: string;
  readonly object: 'file';
  readonly bytes: number;
  /** Seconds since 1970. */
  readonly created_at: number;
  readonly expires_at?: number;
  readonly filename: string;
  readonly purpose: string;
  /** Files are usable at once. */
  readonly status: 'processed';
}

export function fileObject(
  file: Pick<StoredFile, 'id' | 'bytes' | 'createdAt' | 'expiresAt' | 'filename' | 'purpose'>,
): FileObject {
  const { id, bytes, createdAt, expiresAt, filename, purpose } = file;
  return {
    id: publicFileId(id),
    object: 'file',
    bytes,
    created_at: seconds(createdAt),
    ...(expiresAt !== null && { expires_at: seconds(expiresAt) }),
    filename,
    purpose,
    status: 'processed',
  };
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1_000);
}
