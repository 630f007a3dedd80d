/** Content in memory, until it is stored or dropped. */
export interface QueuedContent {
  readonly eventId: string;
  readonly accountId: string;
  /** Bytes that it has of the budget. */
  readonly size: number;
  /** Releases the memory. */
  release(): void;
}

/** Content that waits to be stored, oldest first. */
export class WaitingContents {
  #contents: QueuedContent[] = [];
  #bytes = 0;
  #takenCount = 0;

  get isEmpty(): boolean {
    return this.#contents.length === 0;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Of all that waited. */
  get takenCount(): number {
    return this.#takenCount;
  }

  /** Of all that waited, and of what waits now. */
  get addedCount(): number {
    return this.#takenCount + this.#contents.length;
  }

  add(content: QueuedContent): void {
    this.#contents.push(content);
    this.#bytes += content.size;
  }

  /** The oldest: up to `maxCount`, and no more once they are `maxBytes`. */
  take(maxCount = Infinity, maxBytes = Infinity): QueuedContent[] {
    let count = 0;
    let bytes = 0;
    for (const { size } of this.#contents) {
      if (count >= maxCount || bytes >= maxBytes) break;
      count += 1;
      bytes += size;
    }
    const taken = this.#contents;
    this.#contents = taken.splice(count);
    this.#takenCount += count;
    this.#bytes -= bytes;
    return taken;
  }
}
