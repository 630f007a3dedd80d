import type { Clock } from '../../calendar/clock.ts';
import type { FeedPlace } from './remote-feeds.ts';

/** As long as a request id is claimed. */
const NAME_MS = 24 * 60 * 60_000;
const SWEEP_MS = 10 * 60_000;

interface Name<Owner> {
  /** The account whose limit contains it; null for one that was offered. */
  readonly accountId: string | null;
  /** Null for a worker that has ended. */
  readonly owner: Owner | null;
  readonly expiresAt: number;
}

/**
 * Which worker has which feed. A name that was claimed stays claimed when its worker ends, so that its request never runs twice.
 * The limit is per account: one at its limit is refused, and no name is dropped.
 */
export class FeedNames<Owner> {
  readonly #clock: Clock;
  readonly #maxPerAccount: number;
  readonly #names = new Map<string, Name<Owner>>();
  /** Of each account, oldest first. */
  readonly #claimed = new Map<string, Set<string>>();

  constructor(maxPerAccount: number, clock: Clock) {
    this.#maxPerAccount = maxPerAccount;
    this.#clock = clock;
    clock.setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  /** Null where no running worker has it. */
  ownerOf(name: string): Owner | null {
    return this.#names.get(name)?.owner ?? null;
  }

  claim(name: string, owner: Owner, accountId: string): FeedPlace {
    const now = this.#clock.monotonic();
    const known = this.#names.get(name);
    if (known !== undefined && known.owner !== owner && known.expiresAt > now)
      return known.owner === null ? 'ended' : 'elsewhere';
    if (known !== undefined) this.#remove(name, known);
    this.#removeExpired(accountId, now);
    const claimed = this.#claimed.get(accountId) ?? new Set();
    if (claimed.size >= this.#maxPerAccount) {
      const [oldest = ''] = claimed;
      const retryAfterMs = (this.#names.get(oldest)?.expiresAt ?? now) - now;
      return { limit: this.#maxPerAccount, retryAfterMs };
    }
    this.#claimed.set(accountId, claimed.add(name));
    this.#names.set(name, { accountId, owner, expiresAt: now + NAME_MS });
    return 'here';
  }

  /** A name that no other worker can have, which is bounded by what its worker has. */
  offer(name: string, owner: Owner): void {
    this.#names.set(name, { accountId: null, owner, expiresAt: this.#clock.monotonic() + NAME_MS });
  }

  release(name: string, owner: Owner): void {
    const known = this.#names.get(name);
    if (known?.owner === owner) this.#remove(name, known);
  }

  leave(owner: Owner): void {
    for (const [name, known] of this.#names) {
      if (known.owner !== owner) continue;
      if (known.accountId === null) this.#names.delete(name);
      else this.#names.set(name, { ...known, owner: null });
    }
  }

  #remove(name: string, { accountId }: Name<Owner>): void {
    this.#names.delete(name);
    if (accountId === null) return;
    const claimed = this.#claimed.get(accountId);
    claimed?.delete(name);
    if (claimed?.size === 0) this.#claimed.delete(accountId);
  }

  #removeExpired(accountId: string, now: number): void {
    for (const name of this.#claimed.get(accountId) ?? []) {
      const known = this.#names.get(name);
      if (known === undefined || known.expiresAt > now) return;
      this.#remove(name, known);
    }
  }

  #sweep(): void {
    const now = this.#clock.monotonic();
    for (const [name, known] of this.#names) if (known.expiresAt <= now) this.#remove(name, known);
  }
}
