import { join } from 'node:path';
import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import { SluiceError } from '../../errors/index.ts';
import type { MasterKeySource } from '../../secrets/master-keys.ts';
import { ClaimAnswers } from './claim-answers.ts';
import { ClaimLog } from './claim-log.ts';
import { recordOwner } from './claim-owners.ts';
import { CLAIM_MS, ClaimTable, MAX_ACCOUNT_CLAIMS, type Claim, type ClaimedKey } from './claim-table.ts';
import { Fingerprints } from './fingerprints.ts';
import { assertRepeated, inProgress, tooManyKeys } from './idempotency-errors.ts';
import type { OpenAnswer } from './open-answers.ts';
import { ANSWERS, SealedAnswers, type StoredAnswer } from './sealed-answers.ts';
import type { OtherClaim, SharedClaims } from './shared-claims.ts';

const SWEEP_MS = 5 * 60_000;

export interface IdempotencyBounds {
  /** Requests with an idempotency key per account within 24 h. */
  readonly claimsPerAccount: number;
  /** Bytes of stored responses per account. */
  readonly bytesPerAccount: number;
}

const DEFAULT_IDEMPOTENCY_BOUNDS: IdempotencyBounds = {
  claimsPerAccount: MAX_ACCOUNT_CLAIMS,
  bytesPerAccount: 256 * 1024 * 1024,
};

export interface IdempotencyStoreDependencies {
  readonly folder: string;
  readonly masterKeys: MasterKeySource;
  readonly log: { error(fields: object, message: string): void };
  readonly clock?: Clock;
  readonly bounds?: IdempotencyBounds;
  /** Null where no other process serves the same accounts. */
  readonly shared?: SharedClaims | null;
}

/** Called when a claim is durable and no other process has it. */
export interface ClaimWaiter {
  onDurable(): void;
  /** Another process has the key. The claim must be released. */
  onClaimedElsewhere(other: OtherClaim): void;
  onFailure(error: Error): void;
}

/**
 * The idempotency keys of the last 24 h, with their requests and responses. A claim is on disk before its request runs;
 * one without an end at process start was interrupted and never runs again. Nothing here waits for the database.
 */
export class IdempotencyStore<Running> {
  readonly #clock: Clock;
  readonly #claimsPerAccount: number;
  readonly #fingerprints: Fingerprints;
  readonly #claims: ClaimTable<Running>;
  readonly #claimLog: ClaimLog;
  readonly #answers: ClaimAnswers<Running>;
  readonly #shared: SharedClaims | null;
  readonly #sweeper: Timer;

  constructor({
    folder,
    masterKeys,
    log,
    clock = systemClock,
    bounds = DEFAULT_IDEMPOTENCY_BOUNDS,
    shared = null,
  }: IdempotencyStoreDependencies) {
    this.#clock = clock;
    this.#claimsPerAccount = bounds.claimsPerAccount;
    this.#shared = shared;
    this.#fingerprints = new Fingerprints(masterKeys);
    const sealed = new SealedAnswers(join(folder, ANSWERS), masterKeys);
    const claims = (this.#claims = new ClaimTable<Running>(clock));
    const claimLog = (this.#claimLog = new ClaimLog(folder, clock, (line) => claims.recover(line)));
    if (shared?.owner !== undefined) recordOwner(folder, shared.owner, clock);
    shared?.recovered?.(claims.recovered());
    sealed.removeAllBut({ has: (name) => claims.get(name)?.state === 'kept' });
    this.#answers = new ClaimAnswers({
      claims,
      claimLog,
      sealed,
      shared,
      maxBytesPerAccount: bounds.bytesPerAccount,
      log,
    });
    this.#sweeper = clock.setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  fingerprint(digest: Buffer): string {
    return this.#fingerprints.of(digest);
  }

  /**
   * Null where the key is free; else the claim, running or with a response.
   * @throws SluiceError idempotency_key_reused | idempotency_interrupted | idempotency_not_replayable
   */
  find(scope: string, fingerprint: string): Claim<Running> | null {
    const claim = this.#claims.get(scope);
    if (claim === undefined) return null;
    if (this.#claims.isExpired(claim)) {
      this.#remove(claim);
      return null;
    }
    assertRepeated(claim, fingerprint);
    return claim;
  }

  /** Claims a key that is free here. @throws SluiceError too_many_idempotency_keys */
  claim(key: ClaimedKey, running: Running, waiter: ClaimWaiter): Claim<Running> {
    if (this.#claims.accounts.requests(key.accountId) >= this.#claimsPerAccount)
      throw tooManyKeys(this.#claimsPerAccount, SWEEP_MS);
    const claim = this.#claims.add(key, running);
    if (this.#shared === null) this.#record(claim, waiter);
    else void this.#claimShared(this.#shared, claim, waiter);
    return claim;
  }

  /** Releases a key whose request used nothing; it may be used again. */
  free(claim: Claim<Running>): void {
    if (!this.#claims.has(claim)) return;
    this.#remove(claim, this.#clock.monotonic());
    this.#claimLog.append('F', claim.scope, [], null);
    this.#shared?.free(claim.scope);
  }

  /** Marks a request that ended without a response and may have used something. */
  interrupted(claim: Claim<Running>): void {
    claim.running = null;
    claim.state = 'interrupted';
    this.#shared?.ended(claim.scope, 'interrupted', null);
  }

  /** Marks a request as answered. @param answer null where the response is not to be stored */
  ended(claim: Claim<Running>, answer: StoredAnswer | null): void {
    claim.running = null;
    this.#answers.store(claim, answer);
  }

  /** Opens the stored response of a claim; closed after sending. @throws SluiceError idempotency_unavailable */
  answer(claim: Claim<Running>): OpenAnswer {
    return this.#answers.open(claim);
  }

  /**
   * Opens the response of another process' claim; closed after sending.
   * @throws SluiceError idempotency_key_reused | idempotency_in_progress | idempotency_interrupted |
   * idempotency_not_replayable | idempotency_unavailable
   */
  answerElsewhere(claim: Claim<Running>, other: OtherClaim): OpenAnswer {
    assertRepeated(other, claim.fingerprint);
    if (other.state === 'running') throw inProgress();
    if (this.#shared === null) throw new SluiceError('idempotency_not_replayable');
    return this.#answers.openShared(this.#shared, claim);
  }

  /** Waits for responses that are being written. */
  async close(): Promise<void> {
    this.#sweeper.cancel();
    await this.#answers.written();
    this.#claimLog.close();
  }

  async #claimShared(shared: SharedClaims, claim: Claim<Running>, waiter: ClaimWaiter): Promise<void> {
    let other: OtherClaim | null;
    try {
      other = await shared.claim(claim.scope, claim.fingerprint, claim.accountId);
    } catch (error) {
      return waiter.onFailure(toError(error));
    }
    if (other !== null) return waiter.onClaimedElsewhere(other);
    // Its clients may have disconnected: then it is released and never runs.
    if (!this.#claims.has(claim)) return waiter.onDurable();
    this.#record(claim, waiter);
  }

  #record({ scope, fingerprint, accountId }: Claim<Running>, waiter: ClaimWaiter): void {
    this.#claimLog.append('C', scope, [fingerprint, this.#clock.now().toString(36), accountId], {
      onDurable: () => waiter.onDurable(),
      onJournalFailure: (error) => waiter.onFailure(error),
    });
  }

  /** @param freedAt when it was released; absent where it expired */
  #remove(claim: Claim<Running>, freedAt?: number): void {
    this.#answers.remove(claim);
    this.#claims.remove(claim, freedAt);
  }

  #sweep(): void {
    for (const claim of this.#claims.expired()) this.#remove(claim);
    this.#claims.accounts.forgetFreed(this.#clock.monotonic(), CLAIM_MS);
    this.#claimLog.removeOlderThan(CLAIM_MS);
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
