import type { QueuedContent } from './waiting-contents.ts';

/** Fewer are not worth a pass. */
const MIN_ENDED = 1_000;

/** Content that is finished, and neither stored nor dropped. A list: a set would compute a hash for each request, and grow. */
export class UnstoredContent {
  /** With others that have ended, at most as many again. */
  #contents: QueuedContent[] = [];
  #ended = 0;
  #turn = Promise.withResolvers<void>();

  add(content: QueuedContent): void {
    this.#contents.push(content);
  }

  all(): readonly QueuedContent[] {
    return this.#contents.filter(isUnstored);
  }

  /** It is stored or dropped. @returns false where it was before */
  remove(content: QueuedContent): boolean {
    if (content.isEnded) return false;
    content.isEnded = true;
    this.#ended += 1;
    if (this.#ended >= MIN_ENDED && this.#ended * 2 >= this.#contents.length) this.#removeEnded();
    return true;
  }

  /** Some may have been removed. */
  endTurn(): void {
    this.#turn.resolve();
    this.#turn = Promise.withResolvers<void>();
  }

  /**
   * Resolves once all that it contains now is removed.
   * @param accountId of whose content; of all where absent @param write is called while there is some
   */
  async whenRemoved(accountId: string | undefined, write: () => void): Promise<void> {
    const contents = this.all().filter((each) => accountId === undefined || each.accountId === accountId);
    while (contents.some(isUnstored)) {
      write();
      await this.#turn.promise;
    }
  }

  #removeEnded(): void {
    this.#contents = this.#contents.filter(isUnstored);
    this.#ended = 0;
  }
}

function isUnstored({ isEnded }: QueuedContent): boolean {
  return !isEnded;
}
