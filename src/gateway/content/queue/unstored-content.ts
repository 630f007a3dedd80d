import type { QueuedContent } from './waiting-contents.ts';

/** Content that is finished, and neither stored nor dropped. */
export class UnstoredContent {
  readonly #contents = new Set<QueuedContent>();
  #turn = Promise.withResolvers<void>();

  add(content: QueuedContent): void {
    this.#contents.add(content);
  }

  has(content: QueuedContent): boolean {
    return this.#contents.has(content);
  }

  all(): readonly QueuedContent[] {
    return [...this.#contents];
  }

  /** It is stored or dropped. @returns false where it was before */
  remove(content: QueuedContent): boolean {
    return this.#contents.delete(content);
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
    while (contents.some((content) => this.has(content))) {
      write();
      await this.#turn.promise;
    }
  }
}
