import { createWriteStream, type WriteStream } from 'node:fs';
import { readFile, unlink } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { UploadedFile } from '../gateway/request-input.ts';
import { FileStream } from './file-stream.ts';

/** An uploaded file on disk. */
export class SpooledFile implements UploadedFile {
  readonly filename: string;
  readonly contentType: string;
  readonly path: string;
  /** Takes its bytes. Closed once all of them are there. */
  readonly writer: WriteStream;
  #removed: Promise<void> | null = null;

  constructor(path: string, filename: string, contentType: string) {
    this.path = path;
    this.filename = filename;
    this.contentType = contentType;
    this.writer = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  }

  get size(): number {
    return this.writer.bytesWritten;
  }

  open(): Readable {
    return new FileStream(this.path);
  }

  read(): Promise<Buffer> {
    return readFile(this.path);
  }

  /** Resolves when it is gone. Streams that are open go on to their end. */
  remove(): Promise<void> {
    return (this.#removed ??= this.#unlink());
  }

  async #unlink(): Promise<void> {
    // Before it is closed, it may not even be there yet.
    if (!this.writer.closed) await new Promise<void>((closed) => this.writer.once('close', closed).destroy());
    // What cannot be removed now is removed with its folder.
    await unlink(this.path).catch(() => undefined);
  }
}
