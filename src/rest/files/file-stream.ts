import { open, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { mediaGcPressure } from '../../gateway/metrics/gc-pressure.ts';

const PIECE_BYTES = 64 * 1024;

/** Reads a complete file, which may be deleted as soon as it is open. */
export class FileStream extends Readable {
  /** Settled when the file is open, or can't be opened. */
  readonly whenOpened: Promise<void>;
  readonly #path: string;
  readonly #opened: () => void;
  #handle: FileHandle | null = null;

  constructor(path: string) {
    super({ highWaterMark: PIECE_BYTES });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.whenOpened = promise;
    this.#opened = resolve;
    this.#path = path;
    // A file may be deleted before it is read at all. Whoever reads it receives the error.
    this.on('error', () => undefined);
  }

  override _construct(done: (error?: Error | null) => void): void {
    open(this.#path)
      .then(
        (handle) => {
          this.#handle = handle;
          done();
        },
        (error: Error) => done(error),
      )
      .finally(this.#opened);
  }

  override _read(): void {
    this.#next().then(
      (piece) => this.push(piece),
      (error: Error) => this.destroy(error),
    );
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    void this.#close(() => done(error));
  }

  async #close(closed: () => void): Promise<void> {
    const handle = this.#handle;
    this.#handle = null;
    // The file was only read: a failed close loses nothing.
    await handle?.close().catch(() => undefined);
    closed();
  }

  /** Null at the end. */
  async #next(): Promise<Buffer | null> {
    if (this.#handle === null) return null;
    const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
    const { bytesRead } = await this.#handle.read(piece, 0, PIECE_BYTES);
    mediaGcPressure.add(bytesRead);
    return bytesRead === 0 ? null : piece.subarray(0, bytesRead);
  }
}
