/** Packs bits into bytes, starting at the highest or the lowest bit of each byte. */
export class BitWriter {
  #bytes: Buffer = Buffer.alloc(64 * 1024);
  #length = 0;
  #bits = 0;
  #count = 0;
  readonly #stuffing: boolean;

  /**
   * @param stuffing highest bit first, and a zero byte after each 0xFF, as in JPEG; otherwise lowest bit first, as in
   * WebP
   */
  constructor(stuffing: boolean) {
    this.#stuffing = stuffing;
  }

  /** `size` up to 16. */
  write(value: number, size: number): void {
    if (this.#stuffing) this.#bits = (this.#bits << size) | (value & ((1 << size) - 1));
    else this.#bits |= (value & ((1 << size) - 1)) << this.#count;
    this.#count += size;
    while (this.#count >= 8) this.#flushByte();
  }

  /** All bits so far; the last byte is padded with ones if stuffed, otherwise with zeros. */
  end(): Buffer {
    if (this.#count > 0) this.write(this.#stuffing ? 0x7f : 0, 8 - this.#count);
    return this.#bytes.subarray(0, this.#length);
  }

  #flushByte(): void {
    this.#count -= 8;
    const byte = this.#stuffing ? (this.#bits >>> this.#count) & 0xff : this.#bits & 0xff;
    if (this.#stuffing) this.#bits &= (1 << this.#count) - 1;
    else this.#bits >>>= 8;
    this.#push(byte);
    if (this.#stuffing && byte === 0xff) this.#push(0);
  }

  #push(byte: number): void {
    if (this.#length === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#length)]);
    this.#bytes[this.#length++] = byte;
  }
}
