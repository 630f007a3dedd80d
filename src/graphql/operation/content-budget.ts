import { SluiceError } from '../../errors/index.ts';
import type { ContentBudget } from '../../services/datasets/dataset-reader.ts';

/** Of all items that one operation reads, before they are compressed. */
export const MAX_CONTENT_BYTES = 8_000_000;

/** The content of datasets that one operation reads: fields are resolved concurrently, and each item is decrypted in memory. */
export class OperationContentBudget implements ContentBudget {
  #spent = 0;

  /** @throws SluiceError operation_too_large, from the first read beyond the limit on */
  spend(bytes: number): void {
    this.#spent += bytes;
    if (this.#spent <= MAX_CONTENT_BYTES) return;
    const what = `more than ${MAX_CONTENT_BYTES} bytes of dataset items`;
    throw new SluiceError('operation_too_large', { values: { what, limit: MAX_CONTENT_BYTES } });
  }
}
