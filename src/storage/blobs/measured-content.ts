import { createHash } from 'node:crypto';
import { SluiceError } from '../../errors/index.ts';
import type { Content } from './blob-files.ts';

/** Passes content on, and measures what passed. */
export class MeasuredContent {
  readonly #content: Content;
  readonly #limit: number;
  readonly #hash = createHash('sha256');
  size = 0;

  /** @param limit bytes */
  constructor(content: Content, limit: number) {
    this.#content = content;
    this.#limit = limit;
  }

  /** @throws SluiceError request_too_large */
  async *read(): AsyncGenerator<Uint8Array> {
    if (this.#content instanceof Uint8Array) {
      yield this.#measure(this.#content);
      return;
    }
    for await (const chunk of this.#content) yield this.#measure(chunk);
  }

  /** Of all that passed. Callable once. */
  sha256(): Buffer {
    return this.#hash.digest();
  }

  #measure(chunk: Uint8Array): Uint8Array {
    this.size += chunk.byteLength;
    if (this.size > this.#limit) throw new SluiceError('request_too_large', { values: { limit: this.#limit } });
    this.#hash.update(chunk);
    return chunk;
  }
}
