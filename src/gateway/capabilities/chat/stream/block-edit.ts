/** Removes and replaces parts of a buffer from start to end, in place as long as insertions fit. */
export class BlockEdit {
  readonly #block: Buffer;
  /** Output that did not fit into the block, in order. */
  readonly #before: Buffer[] = [];
  /** The output after `#before` occupies the block from `#from` to `#to`; input is consumed up to `#read`. */
  #from = 0;
  #to = 0;
  #read = 0;

  constructor(block: Buffer) {
    this.#block = block;
  }

  /** Removes the bytes between two offsets of the block. Offsets never decrease. */
  cut(start: number, end: number): void {
    if (this.#to !== this.#read) this.#block.copyWithin(this.#to, this.#read, start);
    this.#to += start - this.#read;
    this.#read = end;
  }

  /** @param text Latin-1, replaces the bytes between the offsets */
  replace(start: number, end: number, text: string): void {
    this.cut(start, end);
    if (this.#to + text.length <= end) {
      this.#to += this.#block.write(text, this.#to, 'latin1');
      return;
    }
    this.#before.push(this.#block.subarray(this.#from, this.#to), Buffer.from(text, 'latin1'));
    this.#from = this.#to = end;
  }

  /** @returns everything up to an offset of the block; ends the edit */
  end(at: number): Buffer {
    this.cut(at, at);
    const last = this.#block.subarray(this.#from, this.#to);
    return this.#before.length === 0 ? last : Buffer.concat([...this.#before, last]);
  }
}
