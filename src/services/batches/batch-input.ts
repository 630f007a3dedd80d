import type { BatchEndpoint } from '../../gateway/batches/batch.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';

export interface NewBatch {
  /** A UUIDv7. */
  readonly id: string;
  readonly key: KeyRecord;
  readonly endpoint: BatchEndpoint;
}

export interface NewMessageBatch extends NewBatch {
  readonly beta: string | null;
  /** The stored requests. */
  readonly inputBlobId: string;
  readonly total: number;
}

export interface NewFileBatch extends NewBatch {
  readonly inputFileId: string;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly outputSeconds: number | null;
}

/** The requested page; ids are public ones. */
export interface BatchPageRequest {
  readonly limit: number;
  readonly after: string | null;
  readonly before: string | null;
}

/** A page of batches by their UUIDs. */
export interface PageAfter {
  readonly limit: number;
  readonly from: string | null;
  /** Towards the newest. */
  readonly backwards: boolean;
}
