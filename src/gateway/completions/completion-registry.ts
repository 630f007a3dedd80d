import { createHash } from 'node:crypto';
import type { Clock } from '../../calendar/clock.ts';
import { SluiceError } from '../../errors/index.ts';
import { formatDuration } from '../limits/limit-view.ts';

const CLAIM_MS = 24 * 60 * 60_000;
const SWEEP_MS = 10 * 60_000;
const WAIT_FOR_ROOM_MS = 1_000;

export interface RegistryBounds {
  /** Request ids per account within 24 h. */
  readonly idsPerAccount: number;
  /** Running or replayable completions per account. */
  readonly readablePerAccount: number;
}

export const DEFAULT_BOUNDS: RegistryBounds = { idsPerAccount: 100_000, readablePerAccount: 250 };

/** The scope of a request id. */
export interface RequestName {
  readonly accountId: string;
  readonly keyId: string;
  readonly clientRequestId: string;
}

interface Readable {
  /** Whether it has ended. */
  readonly ended: boolean;
}

interface Claim<Run> {
  readonly fingerprint: string;
  readonly claimedAt: number;
  /** Null after its events were dropped. */
  run: Run | null;
}

interface AccountClaims<Run> {
  /** By the hash of key and id, oldest first. */
  readonly claims: Map<string, Claim<Run>>;
  /** Claims with events, oldest first. */
  readonly readable: Map<string, Claim<Run>>;
}

/**
 * The request ids that were used. An id stays claimed for 24 h, also after its events are dropped, so that it never
 * runs twice. Limits are per account: an account at its limit is rejected, and no claim is dropped.
 */
export class CompletionRegistry<Run extends Readable> {
  readonly #clock: Clock;
  readonly #bounds: RegistryBounds;
  readonly #dropped: (run: Run) => void;
  readonly #accounts = new Map<string, AccountClaims<Run>>();
  #nextSweep: number;

  /** @param dropped called with a completion whose events make room for another */
  constructor(clock: Clock, bounds: RegistryBounds, dropped: (run: Run) => void) {
    this.#clock = clock;
    this.#bounds = bounds;
    this.#dropped = dropped;
    this.#nextSweep = clock.monotonic() + SWEEP_MS;
  }

  /**
   * Null where the id is free.
   * @throws SluiceError request_id_reused, for another input; request_id_spent, where its events were dropped
   */
  find(name: RequestName, fingerprint: string): Run | null {
    const claim = this.#claim(name);
    if (claim === undefined) return null;
    if (claim.fingerprint !== fingerprint) throw new SluiceError('request_id_reused');
    if (claim.run === null) throw new SluiceError('request_id_spent');
    return claim.run;
  }

  /** Whether an id is claimed. */
  has(name: RequestName): boolean {
    return this.#claim(name) !== undefined;
  }

  /** The running or replayable completion of an id. */
  readable(name: RequestName): Run | null {
    return this.#claim(name)?.run ?? null;
  }

  /** @throws SluiceError rate_limit_concurrency | too_many_request_ids */
  add(name: RequestName, fingerprint: string, run: Run): void {
    const now = this.#clock.monotonic();
    if (now >= this.#nextSweep) this.#sweep(now);
    const account = this.#account(name.accountId);
    removeExpired(account, now);
    this.#makeRoom(name.accountId, account, now);
    const claim = { fingerprint, claimedAt: now, run };
    const id = hashOf(name);
    account.claims.set(id, claim);
    account.readable.set(id, claim);
  }

  /** Drops the events of an id, which stays claimed. */
  dropEvents(name: RequestName): void {
    const id = hashOf(name);
    const account = this.#accounts.get(name.accountId);
    const claim = account?.claims.get(id);
    if (claim) claim.run = null;
    account?.readable.delete(id);
  }

  /** Releases an id whose request did not run. */
  free(name: RequestName): void {
    this.dropEvents(name);
    this.#accounts.get(name.accountId)?.claims.delete(hashOf(name));
  }

  #claim(name: RequestName): Claim<Run> | undefined {
    const claim = this.#accounts.get(name.accountId)?.claims.get(hashOf(name));
    return claim && isExpired(claim, this.#clock.monotonic()) ? undefined : claim;
  }

  #account(accountId: string): AccountClaims<Run> {
    const known = this.#accounts.get(accountId);
    if (known) return known;
    const created = { claims: new Map(), readable: new Map() };
    this.#accounts.set(accountId, created);
    return created;
  }

  #makeRoom(accountId: string, { claims, readable }: AccountClaims<Run>, now: number): void {
    const { idsPerAccount, readablePerAccount } = this.#bounds;
    const [oldest] = claims.values();
    if (oldest && claims.size >= idsPerAccount)
      throw tooManyRequestIds(idsPerAccount, oldest.claimedAt + CLAIM_MS - now);
    if (readable.size < readablePerAccount) return;
    for (const [id, claim] of readable) {
      if (claim.run?.ended === false) continue;
      readable.delete(id);
      if (claim.run) this.#dropped(claim.run);
      claim.run = null;
      return;
    }
    const used = { limit: readablePerAccount, used: readable.size };
    throw new SluiceError('rate_limit_concurrency', {
      retryAfterMs: WAIT_FOR_ROOM_MS,
      values: { model: 'completions', account: accountId, ...used, wait: formatDuration(WAIT_FOR_ROOM_MS) },
    });
  }

  #sweep(now: number): void {
    this.#nextSweep = now + SWEEP_MS;
    for (const [accountId, account] of this.#accounts) {
      removeExpired(account, now);
      if (account.claims.size === 0) this.#accounts.delete(accountId);
    }
  }
}

function removeExpired<Run extends Readable>({ claims }: AccountClaims<Run>, now: number): void {
  for (const [id, claim] of claims) {
    if (!isExpired(claim, now)) return;
    claims.delete(id);
  }
}

/** A running or replayable completion is younger than its claim. */
function isExpired<Run extends Readable>({ claimedAt, run }: Claim<Run>, now: number): boolean {
  return run === null && now - claimedAt >= CLAIM_MS;
}

/** @param limit request ids per account */
export function tooManyRequestIds(limit: number, retryAfterMs: number): SluiceError {
  const values = { limit, wait: formatDuration(retryAfterMs) };
  return new SluiceError('too_many_request_ids', { retryAfterMs, values });
}

/** Hashed, because ids are client text of any length. */
export function hashOf({ keyId, clientRequestId }: RequestName): string {
  return createHash('sha256').update(`${keyId}/${clientRequestId}`).digest('base64');
}
