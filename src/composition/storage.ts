import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Environment } from '../config/environment.ts';
import type { Database } from '../database/database.ts';
import { BlobStore } from '../storage/blob-store.ts';
import { ArchiveFolder } from '../storage/blobs/archive-folder.ts';
import type { ArchiveFiles } from '../storage/blobs/blob-files.ts';
import { S3Files } from '../storage/blobs/s3/s3-files.ts';

export interface WiredStorage {
  readonly blobs: BlobStore;
  /** Null where no bucket is configured. */
  readonly bucket: S3Files | null;
}

export function wireStorage(database: Database, dataDir: string, environment: Environment): WiredStorage {
  const bucket = openBucket(environment);
  const target = bucket && {
    files: bucket,
    isTarget: environment.SLUICE_STORAGE === 's3',
    hasLinks: environment.S3_PRESIGNED_DOWNLOADS,
  };
  return { blobs: new BlobStore(database, blobFolder(dataDir), target), bucket };
}

export function blobFolder(dataDir: string): string {
  return join(dataDir, 'blobs');
}

export interface WiredArchive {
  readonly files: ArchiveFiles;
  /** As an operator writes it. */
  readonly location: string;
  /** Ends its connections. */
  close(): Promise<void>;
}

/** Where files of the usage archive are written: beside new blobs. */
export function openArchive(environment: Environment, dataDir: string): WiredArchive {
  const bucket = environment.SLUICE_STORAGE === 's3' ? openBucket(environment) : null;
  if (bucket === null) {
    const location = join(dataDir, 'archive');
    return { files: new ArchiveFolder(location), location, close: async () => undefined };
  }
  const location = `s3://${environment.S3_BUCKET}/${environment.S3_PREFIX}`;
  return { files: bucket, location, close: () => bucket.close() };
}

/** Null where none is configured. */
export function openBucket(environment: Environment): S3Files | null {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  if (bucket === undefined) return null;
  const isGiven = accessKeyId !== undefined && secretAccessKey !== undefined;
  return new S3Files({
    bucket,
    endpoint: environment.S3_ENDPOINT,
    region: environment.S3_REGION,
    credentials: isGiven ? { accessKeyId, secretAccessKey } : undefined,
    forcePathStyle: environment.S3_FORCE_PATH_STYLE,
    prefix: environment.S3_PREFIX,
    serverSideEncryption: environment.S3_SERVER_SIDE_ENCRYPTION,
    kmsKeyId: environment.S3_KMS_KEY_ID,
    timeoutMs: environment.S3_TIMEOUT_MS,
  });
}

/** A store that is unavailable at the start does not prevent it: requests that need no files are served. */
export function checkBucket(bucket: S3Files | null, log: Logger): void {
  bucket?.check().catch((err: unknown) => log.error({ err }, 'the bucket cannot be used; files cannot be stored'));
}
