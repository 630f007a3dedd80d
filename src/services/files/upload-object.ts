import type { StoredFile, Upload, UploadPart } from '../../database/entities/index.ts';
import { fileObject, type FileObject } from './file-object.ts';
import { publicPartId, publicUploadId } from './file-id.ts';

/** OpenAI's object of an upload. Source: OpenAI's API document, Upload. */
export interface UploadObject {
  readonly id: string;
  readonly object: 'upload';
  readonly bytes: number;
  /** Seconds since 1970. */
  readonly created_at: number;
  readonly expires_at: number;
  readonly filename: string;
  readonly purpose: string;
  readonly status: 'pending' | 'completed' | 'cancelled';
  /** In the response that completes it. */
  readonly file?: FileObject;
}

/** Source: OpenAI's API document, UploadPart. */
export interface UploadPartObject {
  readonly id: string;
  readonly object: 'upload.part';
  readonly created_at: number;
  readonly upload_id: string;
}

export function uploadObject(upload: Upload, file?: StoredFile): UploadObject {
  const { id, bytes, createdAt, expiresAt, filename, purpose, status } = upload;
  return {
    id: publicUploadId(id),
    object: 'upload',
    bytes,
    created_at: seconds(createdAt),
    expires_at: seconds(expiresAt),
    filename,
    purpose,
    status,
    ...(file && { file: fileObject(file) }),
  };
}

export function uploadPartObject({ id, createdAt, upload }: UploadPart): UploadPartObject {
  return {
    id: publicPartId(id),
    object: 'upload.part',
    created_at: seconds(createdAt),
    upload_id: publicUploadId(upload.id),
  };
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1_000);
}
