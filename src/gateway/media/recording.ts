import type { Readable } from 'node:stream';
import type { SluiceError } from '../../errors/index.ts';
import type { UploadedFile } from '../../providers/shared/http/uploaded-file.ts';

/** An uploaded audio file with its measured duration. */
export class Recording implements UploadedFile {
  /** Duration in seconds, or the error, which is reported after errors of other fields. */
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
