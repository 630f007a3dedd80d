/** The memory that logged content may take: of responses that are being recorded, and of what waits to be stored. */
export class ContentBudget {
  readonly limit: number;
  #used = 0;

  /** @param limit in bytes */
  constructor(limit: number) {
    this.limit = limit;
  }

  /** Bytes. */
  get used(): number {
    return this.#used;
  }

  /** @returns whether there was room */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.limit) return false;
    this.#used += bytes;
    return true;
  }

  free(bytes: number): void {
    this.#used -= bytes;
  }
}
