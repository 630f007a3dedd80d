/** Shorter segments need no memory that is kept; longer ones are rare. */
const [MIN_BYTES, MAX_BYTES] = [256 * 1024, 4 * 1024 * 1024];
/** Segments of about the same length fit into the memory of each other. */
const STEP_BYTES = 256 * 1024;

/**
 * Memory of segments, of which one is kept for the next: megabytes outside of the heap for each batch would have the garbage
 * collector start full collections.
 */
export class SegmentMemory {
  #spare: Buffer | null = null;

  /** @returns a buffer of at least so many bytes, which nothing else uses until it is released */
  readonly allocate = (bytes: number): Buffer => {
    if (bytes < MIN_BYTES || bytes > MAX_BYTES) return Buffer.allocUnsafeSlow(bytes);
    const spare = this.#spare;
    if (spare === null || spare.length < bytes)
      return Buffer.allocUnsafeSlow(Math.ceil(bytes / STEP_BYTES) * STEP_BYTES);
    this.#spare = null;
    return spare;
  };

  /**
   * The next segment may overwrite this one. Only for one that was stored: where that failed, its bytes may still be read.
   * @param bytes of a segment, from the start of its buffer
   */
  release({ buffer, byteOffset }: Buffer): void {
    const { byteLength } = buffer;
    if (byteOffset !== 0 || byteLength < MIN_BYTES || byteLength > MAX_BYTES) return;
    if (byteLength > (this.#spare?.length ?? 0)) this.#spare = Buffer.from(buffer);
  }
}
