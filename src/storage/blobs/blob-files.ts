import type { Readable } from 'node:stream';

/** Content that is written and cannot be read yet. It is committed or discarded; a commit that failed is discarded, too. */
export interface WrittenFile {
  readonly size: number;
  readonly sha256: Buffer;
  /** Makes it readable, complete. */
  commit(): Promise<void>;
  /** Leaves nothing. Does not throw: what it cannot remove is removed as abandoned. */
  discard(): Promise<void>;
}

/** Both ends inclusive. */
export interface FileRange {
  readonly first: number;
  readonly last: number;
}

/** A place for the bytes of blobs. Names are of `objectKey` and of its own. */
export interface BlobFiles {
  /**
   * Reads the content to its end, in bounded memory.
   * @param limit bytes @throws SluiceError request_too_large, and what the content throws; nothing is left then
   */
  write(name: string, content: Content, limit: number): Promise<WrittenFile>;
  /** Null if there is no such file. The stream is closed by whoever received it. */
  open(name: string, range: FileRange): Promise<Readable | null>;
  /** A URL that reads the file for a short time without credentials. Absent where there is none. */
  linkTo?(name: string, headers: DownloadHeaders): Promise<string>;
  /** In bytes; null if there is no such file. */
  sizeOf(name: string): Promise<number | null>;
  /** Succeeds for a file that does not exist. */
  remove(name: string): Promise<void>;
  /**
   * Removes what interrupted writers left before this time.
   * @throws AggregateError after all others are removed, where some cannot be
   */
  removeAbandoned(before: Date): Promise<void>;
  /** The IDs of all files with their names, in pages. */
  list(): AsyncIterable<readonly ListedFile[]>;
}

/** Of the response to a download. */
export interface DownloadHeaders {
  readonly contentType: string;
  readonly contentDisposition: string;
}

/** A place for files of the usage archive, named by their keys. A file that is written again is replaced. */
export type ArchiveFiles = Pick<BlobFiles, 'write' | 'open' | 'sizeOf' | 'remove'>;

export interface ListedFile {
  readonly id: string;
  readonly name: string;
}

export type Content = Uint8Array | AsyncIterable<Uint8Array>;
