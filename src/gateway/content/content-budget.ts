/** The memory that logged content may take: of responses that are being recorded, and of what waits to be stored. */
export class ContentBudget {
  readonly limit: number;
  used = 0;
  readonly #shares = new Map<string, ContentShare>();

  /** @param limit in bytes */
  constructor(limit: number) {
    this.limit = limit;
  }

  /** Take of it in the same turn: a share is removed when a `take` is refused, or memory is freed, and none of it is in use. */
  shareOf(accountId: string): ContentShare {
    const known = this.#shares.get(accountId);
    if (known !== undefined) return known;
    const share = new ContentShare(this, () => this.#shares.delete(accountId));
    this.#shares.set(accountId, share);
    return share;
  }
}

/**
 * An account takes at most this many times what is left: three quarters of all memory, and of what other accounts leave. So an
 * account whose content cannot be stored leaves memory to others, however many there are of either.
 */
const MAX_TIMES_FREE = 3;

/** The part of one account. */
export class ContentShare {
  readonly #budget: ContentBudget;
  readonly #unused: () => void;
  #used = 0;

  constructor(budget: ContentBudget, unused: () => void) {
    this.#budget = budget;
    this.#unused = unused;
  }

  /** @param bytes negative for fewer than before @returns whether there was room */
  take(bytes: number): boolean {
    const free = this.#budget.limit - this.#budget.used - bytes;
    if (bytes > 0 && this.#used + bytes > MAX_TIMES_FREE * free) {
      this.#removeUnused();
      return false;
    }
    this.#add(bytes);
    return true;
  }

  free(bytes: number): void {
    this.#add(-bytes);
    this.#removeUnused();
  }

  #add(bytes: number): void {
    this.#used += bytes;
    this.#budget.used += bytes;
  }

  #removeUnused(): void {
    if (this.#used === 0) this.#unused();
  }
}
