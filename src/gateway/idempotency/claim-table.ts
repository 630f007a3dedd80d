import type { Clock } from '../../calendar/clock.ts';
import { AccountUse, type StoredBytes } from './account-use.ts';
import type { ClaimLine } from './claim-log.ts';
import type { StoredAnswer } from './sealed-answers.ts';
import type { RecoveredClaim } from './shared-claims.ts';

export const CLAIM_MS = 24 * 60 * 60_000;
/** Requests with an idempotency key per account within 24 h. */
export const MAX_ACCOUNT_CLAIMS = 100_000;
const ACCOUNT_ID_LENGTH = 36;

/** `interrupted`: it may have run, and its response never ended. */
export type ClaimState = 'running' | 'kept' | 'not kept' | 'interrupted';

/** What a key is claimed with. */
export interface ClaimedKey {
  readonly scope: string;
  readonly accountId: string;
  readonly fingerprint: string;
}

/** One use of an idempotency key. */
export interface Claim<Running> extends ClaimedKey {
  /** By the clock's `monotonic`. */
  readonly expiresAt: number;
  state: ClaimState;
  /** The running request; null otherwise. */
  running: Running | null;
  /** Its response until it is on disk. */
  writing: StoredAnswer | null;
  /** Bytes of its response on disk. */
  bytes: number;
  /** Bytes of its response in shared memory. */
  sharedBytes: number;
}

/** The claims of the last 24 h, and what they use per account. */
export class ClaimTable<Running> {
  readonly accounts = new AccountUse();
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #claims = new Map<string, Claim<Running>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(scope: string): Claim<Running> | undefined {
    return this.#claims.get(scope);
  }

  /** False for a claim that was removed. */
  has(claim: Claim<Running>): boolean {
    return this.#claims.get(claim.scope) === claim;
  }

  /** @param running null for a claim of an earlier process */
  add({ scope, accountId, fingerprint }: ClaimedKey, running: Running | null, ageMs = 0): Claim<Running> {
    const now = this.#clock.monotonic();
    const claim: Claim<Running> = {
      scope,
      accountId,
      fingerprint,
      expiresAt: now + CLAIM_MS - ageMs,
      state: running === null ? 'interrupted' : 'running',
      running,
      writing: null,
      bytes: 0,
      sharedBytes: 0,
    };
    this.#claims.set(scope, claim);
    this.accounts.claimed(accountId, now);
    return claim;
  }

  /** Applies a line that an earlier process wrote. */
  recover({ mark, scope, fields }: ClaimLine): void {
    const known = this.#claims.get(scope);
    if (mark === 'C') {
      const [fingerprint = '', time = '', accountId = ''] = fields;
      const claimedAt = Number.parseInt(time, 36);
      if (accountId.length !== ACCOUNT_ID_LENGTH || !Number.isFinite(claimedAt)) return;
      if (known) this.remove(known);
      // The wall clock may have been set back since.
      const ageMs = Math.max(0, this.#clock.now() - claimedAt);
      if (ageMs < CLAIM_MS) this.add({ scope, accountId, fingerprint }, null, ageMs);
      return;
    }
    if (known === undefined) return;
    if (mark === 'F') this.remove(known);
    if (mark === 'N') known.state = 'not kept';
    if (mark === 'K') {
      known.state = 'kept';
      this.setBytes(known, 'bytes', Number(fields[0] ?? 0));
    }
  }

  /** Call it before claims are added. */
  recovered(): RecoveredClaim[] {
    const now = this.#clock.monotonic();
    return [...this.#claims.values()].map(({ scope, accountId, fingerprint, state, bytes, expiresAt }) => ({
      scope,
      accountId,
      fingerprint,
      state: state === 'running' ? 'interrupted' : state,
      bytes,
      leftMs: expiresAt - now,
    }));
  }

  /** @param freedAt when it was released; absent where it expired */
  remove(claim: Claim<Running>, freedAt?: number): void {
    this.#claims.delete(claim.scope);
    this.setBytes(claim, 'bytes', 0);
    this.setBytes(claim, 'sharedBytes', 0);
    this.accounts.released(claim.accountId, freedAt);
  }

  setBytes(claim: Claim<Running>, kind: StoredBytes, bytes: number): void {
    this.accounts.add(claim.accountId, kind, bytes - claim[kind]);
    claim[kind] = bytes;
  }

  /** A running request keeps its claim. */
  isExpired({ expiresAt, running }: Claim<Running>): boolean {
    return running === null && this.#clock.monotonic() >= expiresAt;
  }

  *expired(): Iterable<Claim<Running>> {
    const now = this.#clock.monotonic();
    for (const claim of this.#claims.values()) {
      if (claim.expiresAt > now) return;
      if (claim.running === null) yield claim;
    }
  }
}
