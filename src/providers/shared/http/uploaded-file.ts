import type { Readable } from 'node:stream';

/** A file that came with a form. It stays until its request has ended. */
export interface UploadedFile {
  /** As the caller named it; never a path of ours. */
  readonly filename: string;
  /** As the caller said; `application/octet-stream` where it did not. */
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  /** From its beginning, as often as is needed. */
  open(): Readable;
  /** All of it. For files that are small by nature. */
  read(): Promise<Buffer>;
}
