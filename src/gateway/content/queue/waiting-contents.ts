/** Content in memory, until it is stored or dropped. */
export interface QueuedContent {
  readonly eventId: string;
  readonly accountId: string;
  /** Bytes that it has of the budget. */
  readonly size: number;
  /** Whether it is stored or dropped. */
  isEnded: boolean;
  /** Copies bytes that are part of a longer buffer. Called before others are stored: the whole buffer would remain in memory. */
  own(): void;
  /** Releases the memory. */
  release(): void;
}

/** Content that waits to be stored, oldest first; that of some accounts is held back. */
export class WaitingContents {
  #contents: QueuedContent[] = [];
  #bytes = 0;
  readonly #held = new Map<string, QueuedContent[]>();

  /** Without what is held back, as below. */
  get isEmpty(): boolean {
    return this.#contents.length === 0;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(content: QueuedContent): void {
    this.#contents.push(content);
    this.#bytes += content.size;
  }

  /**
   * The oldest: up to `maxCount`, and no more once they are `maxBytes`.
   * @param isHeld whether the content of an account is held back until it is resumed
   */
  take(maxCount: number, maxBytes: number, isHeld: (accountId: string) => boolean): QueuedContent[] {
    const taken: QueuedContent[] = [];
    let [count, bytes] = [0, 0];
    for (const content of this.#contents) {
      if (taken.length >= maxCount || bytes >= maxBytes) break;
      count += 1;
      this.#bytes -= content.size;
      if (isHeld(content.accountId)) this.#hold(content);
      else {
        taken.push(content);
        bytes += content.size;
      }
    }
    this.#contents.splice(0, count);
    return taken;
  }

  /** Adds what was held back of an account. */
  resume(accountId: string): void {
    for (const content of this.#held.get(accountId) ?? []) this.add(content);
    this.#held.delete(accountId);
  }

  clear(): void {
    this.#contents = [];
    this.#bytes = 0;
    this.#held.clear();
  }

  #hold(content: QueuedContent): void {
    content.own();
    const held = this.#held.get(content.accountId);
    if (held === undefined) this.#held.set(content.accountId, [content]);
    else held.push(content);
  }
}
