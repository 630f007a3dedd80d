/** What one account takes of a bound. */
interface Use {
  /** That are not free again. */
  claims: number;
  /** Freed since `since`: each is two lines on disk until its file goes. */
  freed: number;
  /** Of kept answers on disk. */
  bytes: number;
  /** Of those, in the memory that processes share. */
  sharedBytes: number;
  since: number;
}

type Bytes = 'bytes' | 'sharedBytes';

/** How much of the claims' space each account takes. */
export class AccountUse {
  readonly #uses = new Map<string, Use>();

  claimed(accountId: string, now: number): void {
    const use = this.#uses.get(accountId);
    if (use) use.claims++;
    else this.#uses.set(accountId, { claims: 1, freed: 0, bytes: 0, sharedBytes: 0, since: now });
  }

  /** @param now absent where the claim is only forgotten */
  released(accountId: string, now?: number): void {
    const use = this.#uses.get(accountId);
    if (use === undefined) return;
    use.claims--;
    if (now !== undefined) use.freed++;
    if (use.claims === 0 && use.freed === 0) this.#uses.delete(accountId);
  }

  /** Requests with a key that count now. */
  requests(accountId: string): number {
    const use = this.#uses.get(accountId);
    return use === undefined ? 0 : use.claims + use.freed;
  }

  add(accountId: string, kind: Bytes, bytes: number): void {
    const use = this.#uses.get(accountId);
    if (use) use[kind] += bytes;
  }

  bytes(accountId: string, kind: Bytes): number {
    return this.#uses.get(accountId)?.[kind] ?? 0;
  }

  /** Forgets what was freed in periods that began `periodMs` ago. */
  forgetFreed(now: number, periodMs: number): void {
    for (const [accountId, use] of this.#uses) {
      if (now - use.since < periodMs) continue;
      use.since = now;
      use.freed = 0;
      if (use.claims === 0) this.#uses.delete(accountId);
    }
  }
}
