const CHUNK_BYTES = 64 * 1024;

/** Memory for many short texts: each in a part of a chunk, which is released with the last of them. A text that outlives others is copied. */
export class ByteChunks {
  #chunk: Buffer = Buffer.alloc(0);
  #end = 0;

  /** The chunk of the last part. */
  get chunk(): Buffer {
    return this.#chunk;
  }

  /** @param length at most CHUNK_BYTES @returns where a part of this length starts in `chunk` */
  reserve(length: number): number {
    if (this.#end + length > this.#chunk.length) {
      this.#chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, length));
      this.#end = 0;
    }
    const start = this.#end;
    this.#end += length;
    return start;
  }
}
