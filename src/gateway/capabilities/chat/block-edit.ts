/** Cuts and replaces parts of a buffer, from its start to its end, in place as long as what is inserted fits. */
export class BlockEdit {
  readonly #block: Buffer;
  /** What no longer fitted into the block, and all before it. */
  readonly #before: Buffer[] = [];
  /** The result behind `#before` stands in the block from `#from` to `#to`; it is read up to `#read`. */
  #from = 0;
  #to = 0;
  #read = 0;

  constructor(block: Buffer) {
    this.#block = block;
  }

  /** Leaves out the bytes between two offsets of the block; neither lies before an earlier one. */
  cut(start: number, end: number): void {
    if (this.#to !== this.#read) this.#block.copyWithin(this.#to, this.#read, start);
    this.#to += start - this.#read;
    this.#read = end;
  }

  /** @param text in Latin-1, instead of the bytes between the offsets */
  replace(start: number, end: number, text: string): void {
    this.cut(start, end);
    if (this.#to + text.length <= end) {
      this.#to += this.#block.write(text, this.#to, 'latin1');
      return;
    }
    this.#before.push(this.#block.subarray(this.#from, this.#to), Buffer.from(text, 'latin1'));
    this.#from = this.#to = end;
  }

  /** @returns all up to an offset of the block; nothing is edited after it */
  end(at: number): Buffer {
    this.cut(at, at);
    const last = this.#block.subarray(this.#from, this.#to);
    return this.#before.length === 0 ? last : Buffer.concat([...this.#before, last]);
  }
}
