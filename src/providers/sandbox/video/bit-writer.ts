/** Writes an H.264 bit stream, highest bit first. */
export class BitWriter {
  #bytes: Buffer = Buffer.alloc(1024);
  #bits = 0;

  bit(value: 0 | 1): void {
    this.bits(value, 1);
  }

  bits(value: number, count: number): void {
    this.#reserve(count);
    for (let at = count - 1; at >= 0; at--) {
      if ((value >>> at) & 1) this.#bytes[this.#bits >> 3] = this.#current | (0x80 >> (this.#bits & 7));
      this.#bits++;
    }
  }

  /** Exp-Golomb, unsigned. */
  ue(value: number): void {
    const length = 32 - Math.clz32(value + 1);
    this.bits(0, length - 1);
    this.bits(value + 1, length);
  }

  /** Zero, in the signed code, is one bit. */
  seZero(): void {
    this.bit(1);
  }

  align(): void {
    this.#bits = (this.#bits + 7) & ~7;
  }

  /** Whole bytes, at a byte boundary. */
  fill(value: number, count: number): void {
    this.#reserve(count * 8);
    this.#bytes.fill(value, this.#bits >> 3, (this.#bits >> 3) + count);
    this.#bits += count * 8;
  }

  /** Adds the stop bit, and returns the bytes. */
  end(): Buffer {
    this.bit(1);
    this.align();
    return this.#bytes.subarray(0, this.#bits >> 3);
  }

  get #current(): number {
    return this.#bytes[this.#bits >> 3] ?? 0;
  }

  #reserve(bits: number): void {
    const needed = ((this.#bits + bits) >> 3) + 1;
    if (needed <= this.#bytes.length) return;
    this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(Math.max(needed, this.#bytes.length))]);
  }
}
