import type { Readable } from 'node:stream';
import type { SluiceError } from '../../errors/index.ts';
import type { UploadedFile } from '../../providers/shared/uploaded-file.ts';

/** An uploaded file that was measured. */
export class Recording implements UploadedFile {
  /** Seconds of sound; or why it is none, which is told after the faults of the fields beside it. */
  readonly measured: number | SluiceError;
  readonly #file: UploadedFile;

  constructor(file: UploadedFile, measured: number | SluiceError) {
    this.#file = file;
    this.measured = measured;
  }

  get filename(): string {
    return this.#file.filename;
  }

  get contentType(): string {
    return this.#file.contentType;
  }

  get size(): number {
    return this.#file.size;
  }

  open(): Readable {
    return this.#file.open();
  }

  read(): Promise<Buffer> {
    return this.#file.read();
  }
}
