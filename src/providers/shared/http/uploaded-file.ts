import type { Readable } from 'node:stream';

/** A file of a form. It exists until its request has ended. */
export interface UploadedFile {
  /** The client's file name; never a path of ours. */
  readonly filename: string;
  /** As stated by the client; defaults to `application/octet-stream`. */
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  /** Reads it from the beginning; can be called repeatedly. */
  open(): Readable;
  /** Its complete content, for small files. */
  read(): Promise<Buffer>;
}
