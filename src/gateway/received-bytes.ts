/** What has come of an answer and is not looked at yet. */
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

  /** All of it as one buffer: the one that came, where only one did. */
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
