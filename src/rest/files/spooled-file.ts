import { createWriteStream, type WriteStream } from 'node:fs';
import { readFile, unlink } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { UploadedFile } from '../../gateway/request-input.ts';
import { FileStream } from './file-stream.ts';

/** An uploaded file on disk. */
export class SpooledFile implements UploadedFile {
  readonly filename: string;
  readonly contentType: string;
  readonly path: string;
  /** Closed when all bytes are written. */
  readonly writer: WriteStream;
  /** Streams that are being opened. */
  readonly #opening = new Set<Promise<void>>();
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
    const stream = new FileStream(this.path);
    const { whenOpened } = stream;
    this.#opening.add(whenOpened);
    void whenOpened.then(() => this.#opening.delete(whenOpened));
    return stream;
  }

  /** Opened when it is read: what is refused before is not. */
  async *content(): AsyncGenerator<Uint8Array> {
    yield* this.open();
  }

  read(): Promise<Buffer> {
    return readFile(this.path);
  }

  /** Resolves when the file is deleted. Streams can still be read completely, also those that were not open yet. */
  remove(): Promise<void> {
    return (this.#removed ??= this.#unlink());
  }

  async #unlink(): Promise<void> {
    // Before the writer is closed, the file may not exist yet.
    if (!this.writer.closed) await new Promise<void>((closed) => this.writer.once('close', closed).destroy());
    await Promise.all(this.#opening);
    // If this fails, the file is deleted with its folder.
    await unlink(this.path).catch(() => undefined);
  }
}
