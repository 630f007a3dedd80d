/** The usage of one account. */
interface Use {
  /** Claims that were not released. */
  claims: number;
  /** Released since `since`: each is two lines on disk until its file is removed. */
  freed: number;
  /** Bytes of stored responses on disk. */
  bytes: number;
  /** Bytes of those in shared memory. */
  sharedBytes: number;
  since: number;
}

export type StoredBytes = 'bytes' | 'sharedBytes';

/** Claims and storage used per account. */
export class AccountUse {
  readonly #uses = new Map<string, Use>();

  claimed(accountId: string, now: number): void {
    const use = this.#uses.get(accountId);
    if (use) use.claims++;
    else this.#uses.set(accountId, { claims: 1, freed: 0, bytes: 0, sharedBytes: 0, since: now });
  }

  /** @param now absent where the claim expires and is not released by a request */
  released(accountId: string, now?: number): void {
    const use = this.#uses.get(accountId);
    if (use === undefined) return;
    use.claims--;
    if (now !== undefined) use.freed++;
    if (use.claims === 0 && use.freed === 0) this.#uses.delete(accountId);
  }

  /** Requests with an idempotency key that count against the limit. */
  requests(accountId: string): number {
    const use = this.#uses.get(accountId);
    return use === undefined ? 0 : use.claims + use.freed;
  }

  add(accountId: string, kind: StoredBytes, bytes: number): void {
    const use = this.#uses.get(accountId);
    if (use) use[kind] += bytes;
  }

  bytes(accountId: string, kind: StoredBytes): number {
    return this.#uses.get(accountId)?.[kind] ?? 0;
  }

  /** Resets the released claims of periods that began `periodMs` ago. */
  forgetFreed(now: number, periodMs: number): void {
    for (const [accountId, use] of this.#uses) {
      if (now - use.since < periodMs) continue;
      use.since = now;
      use.freed = 0;
      if (use.claims === 0) this.#uses.delete(accountId);
    }
  }
}
