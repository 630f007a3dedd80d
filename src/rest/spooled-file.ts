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
  #removed = false;

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

  /** Streams that are open go on to their end. */
  remove(): void {
    if (this.#removed) return;
    this.#removed = true;
    // Before it is closed, it may not even be there yet.
    if (this.writer.closed) this.#unlink();
    else this.writer.once('close', () => this.#unlink()).destroy();
  }

  #unlink(): void {
    // What cannot be removed now is removed with its folder.
    unlink(this.path).catch(() => undefined);
  }
}
