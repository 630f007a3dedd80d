/** Received bytes that are not processed yet. */
export class ReceivedBytes {
  #parts: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }

  /** Returns all bytes as one buffer: the original one if there was only one. */
  take(): Buffer {
    const [first] = this.#parts;
    const bytes = this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts);
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#parts = [];
    this.#length = 0;
  }
}
