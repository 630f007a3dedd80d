import { createHmac, hkdfSync } from 'node:crypto';
import { join } from 'node:path';
import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import { SluiceError } from '../../errors/index.ts';
import { formatDuration } from '../limits/format-duration.ts';
import { ClaimLog, type ClaimLine } from './claim-log.ts';
import { SealedAnswers, type KeptAnswer } from './sealed-answers.ts';

const CLAIM_MS = 24 * 60 * 60_000;
const SWEEP_MS = 5 * 60_000;
/** Of answers that are being written. */
const MAX_WRITING_BYTES = 64 * 1024 * 1024;
const ACCOUNT_ID_LENGTH = 36;

export interface IdempotencyBounds {
  /** Keys of one account within 24 h. */
  readonly claimsPerAccount: number;
  /** Of its kept answers. */
  readonly bytesPerAccount: number;
}

export const DEFAULT_IDEMPOTENCY_BOUNDS: IdempotencyBounds = {
  claimsPerAccount: 100_000,
  bytesPerAccount: 256 * 1024 * 1024,
};

export interface IdempotencyStoreParts {
  readonly folder: string;
  readonly masterKey: string;
  readonly log: { error(fields: object, message: string): void };
  readonly clock?: Clock;
  readonly bounds?: IdempotencyBounds;
}

/** `interrupted`: it may have run, and its answer never ended. */
type State = 'running' | 'kept' | 'not kept' | 'interrupted';

/** One use of an idempotency key. */
export interface Claim<Running> {
  readonly scope: string;
  readonly accountId: string;
  readonly fingerprint: string;
  /** Milliseconds since 1970. */
  readonly claimedAt: number;
  state: State;
  /** Its answer while that is on its way. */
  running: Running | null;
  /** Its answer until the disk has it. */
  writing: KeptAnswer | null;
  /** Of its answer on disk. */
  bytes: number;
}

interface AccountUse {
  claims: number;
  bytes: number;
}

/** Told once a claim survives a kill of this process. */
export interface ClaimWaiter {
  onDurable(): void;
  onJournalFailure(error: Error): void;
}

/**
 * Which idempotency keys were used within 24 h, for what, and what was answered. A claim is on disk before its request may run;
 * one without an end when the process starts was interrupted, and never runs again. Nothing here waits for the database.
 */
export class IdempotencyStore<Running> {
  readonly #clock: Clock;
  readonly #log: IdempotencyStoreParts['log'];
  readonly #bounds: IdempotencyBounds;
  readonly #fingerprintKey: Buffer;
  readonly #answers: SealedAnswers;
  readonly #claimLog: ClaimLog;
  /** Oldest first. */
  readonly #claims = new Map<string, Claim<Running>>();
  readonly #accounts = new Map<string, AccountUse>();
  readonly #sweeper: Timer;
  readonly #storing = new Set<Promise<void>>();
  #writingBytes = 0;

  constructor({
    folder,
    masterKey,
    log,
    clock = systemClock,
    bounds = DEFAULT_IDEMPOTENCY_BOUNDS,
  }: IdempotencyStoreParts) {
    this.#clock = clock;
    this.#log = log;
    this.#bounds = bounds;
    this.#fingerprintKey = Buffer.from(hkdfSync('sha256', masterKey, '', 'sluice/idempotency-fingerprints/1', 32));
    this.#answers = new SealedAnswers(join(folder, 'answers'), masterKey);
    this.#claimLog = new ClaimLog(folder, clock, (line) => this.#recover(line));
    this.#answers.removeAllBut({ has: (name) => this.#claims.get(name)?.state === 'kept' });
    this.#sweeper = clock.setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  /** Keyed: what is on disk tells nothing of a short prompt. */
  fingerprint(digest: Buffer): string {
    return createHmac('sha256', this.#fingerprintKey).update(digest).digest('base64url');
  }

  /**
   * Null where the key is free; else the claim, which runs or has an answer.
   * @throws SluiceError idempotency_key_reused | idempotency_interrupted | idempotency_not_replayable
   */
  find(scope: string, fingerprint: string): Claim<Running> | null {
    const claim = this.#claims.get(scope);
    if (claim === undefined) return null;
    if (this.#isExpired(claim)) {
      this.#remove(claim);
      return null;
    }
    if (claim.fingerprint !== fingerprint) throw new SluiceError('idempotency_key_reused');
    if (claim.state === 'interrupted') throw new SluiceError('idempotency_interrupted');
    if (claim.state === 'not kept') throw new SluiceError('idempotency_not_replayable');
    return claim;
  }

  /** Claims a key that is free. @throws SluiceError too_many_idempotency_keys */
  claim(
    { scope, accountId, fingerprint }: Pick<Claim<Running>, 'scope' | 'accountId' | 'fingerprint'>,
    running: Running,
    waiter: ClaimWaiter,
  ): Claim<Running> {
    const limit = this.#bounds.claimsPerAccount;
    if ((this.#accounts.get(accountId)?.claims ?? 0) >= limit) {
      const retryAfterMs = SWEEP_MS;
      throw new SluiceError('too_many_idempotency_keys', {
        retryAfterMs,
        values: { limit, wait: formatDuration(retryAfterMs) },
      });
    }
    const claimedAt = this.#clock.now();
    const claim = { scope, accountId, fingerprint, claimedAt, running, writing: null, bytes: 0 };
    const added = this.#add({ ...claim, state: 'running' });
    this.#claimLog.append('C', scope, [fingerprint, claimedAt.toString(36), accountId], waiter);
    return added;
  }

  /** Its request used nothing: the key may be used again. */
  free(claim: Claim<Running>): void {
    if (this.#claims.get(claim.scope) !== claim) return;
    this.#remove(claim);
    this.#claimLog.append('F', claim.scope, [], null);
  }

  /** It ended without an answer, and may have used something. */
  interrupted(claim: Claim<Running>): void {
    claim.running = null;
    claim.state = 'interrupted';
  }

  /** It was answered. @param answer null where it is not to be kept */
  ended(claim: Claim<Running>, answer: KeptAnswer | null): void {
    claim.running = null;
    const bytes = answer === null ? 0 : sizeOf(answer);
    const used = this.#accounts.get(claim.accountId)?.bytes ?? 0;
    const fits = used + bytes <= this.#bounds.bytesPerAccount && this.#writingBytes + bytes <= MAX_WRITING_BYTES;
    if (answer === null || !fits) return this.#notKept(claim);
    claim.state = 'kept';
    claim.writing = answer;
    this.#takes(claim, bytes);
    const storing = this.#store(claim, answer, bytes);
    this.#storing.add(storing);
    void storing.then(() => this.#storing.delete(storing));
  }

  /** @throws SluiceError idempotency_not_replayable */
  async answer(claim: Claim<Running>): Promise<KeptAnswer> {
    if (claim.writing !== null) return claim.writing;
    try {
      return await this.#answers.read(claim.accountId, claim.scope);
    } catch (cause) {
      throw new SluiceError('idempotency_not_replayable', { cause });
    }
  }

  /** Waits for answers that are being written. */
  async close(): Promise<void> {
    this.#sweeper.cancel();
    await Promise.all(this.#storing);
    this.#claimLog.close();
  }

  async #store(claim: Claim<Running>, answer: KeptAnswer, bytes: number): Promise<void> {
    this.#writingBytes += bytes;
    try {
      const size = await this.#answers.write(claim.accountId, claim.scope, answer);
      if (this.#claims.get(claim.scope) === claim) this.#claimLog.append('K', claim.scope, [String(size)], null);
      else this.#answers.remove(claim.scope);
    } catch (error) {
      this.#log.error({ err: error }, 'an answer could not be kept for its idempotency key');
      this.#takes(claim, 0);
      this.#notKept(claim);
    } finally {
      this.#writingBytes -= bytes;
      claim.writing = null;
    }
  }

  #notKept(claim: Claim<Running>): void {
    claim.state = 'not kept';
    this.#claimLog.append('N', claim.scope, [], null);
  }

  #recover({ mark, scope, fields }: ClaimLine): void {
    const known = this.#claims.get(scope);
    if (mark === 'C') {
      const [fingerprint = '', time = '', accountId = ''] = fields;
      const claimedAt = Number.parseInt(time, 36);
      if (accountId.length !== ACCOUNT_ID_LENGTH || !Number.isFinite(claimedAt)) return;
      if (known) this.#forget(known);
      const claim = { scope, accountId, fingerprint, claimedAt, running: null, writing: null, bytes: 0 };
      if (this.#clock.now() - claimedAt < CLAIM_MS) this.#add({ ...claim, state: 'interrupted' });
      return;
    }
    if (known === undefined) return;
    if (mark === 'F') this.#forget(known);
    if (mark === 'N') known.state = 'not kept';
    if (mark === 'K') {
      known.state = 'kept';
      this.#takes(known, Number(fields[0] ?? 0));
    }
  }

  #add(claim: Claim<Running>): Claim<Running> {
    this.#claims.set(claim.scope, claim);
    const use = this.#accounts.get(claim.accountId);
    if (use) use.claims++;
    else this.#accounts.set(claim.accountId, { claims: 1, bytes: 0 });
    return claim;
  }

  #remove(claim: Claim<Running>): void {
    if (claim.state === 'kept') this.#answers.remove(claim.scope);
    this.#forget(claim);
  }

  #forget(claim: Claim<Running>): void {
    this.#claims.delete(claim.scope);
    this.#takes(claim, 0);
    const use = this.#accounts.get(claim.accountId);
    if (use && --use.claims === 0) this.#accounts.delete(claim.accountId);
  }

  #takes(claim: Claim<Running>, bytes: number): void {
    const use = this.#accounts.get(claim.accountId);
    if (use) use.bytes += bytes - claim.bytes;
    claim.bytes = bytes;
  }

  #isExpired({ claimedAt, running }: Claim<Running>): boolean {
    return running === null && this.#clock.now() - claimedAt >= CLAIM_MS;
  }

  #sweep(): void {
    const oldestKept = this.#clock.now() - CLAIM_MS;
    for (const claim of this.#claims.values()) {
      if (claim.claimedAt > oldestKept) break;
      if (this.#isExpired(claim)) this.#remove(claim);
    }
    this.#claimLog.removeOlderThan(CLAIM_MS);
  }
}

function sizeOf({ about, chunks }: KeptAnswer): number {
  return chunks.reduce((bytes, chunk) => bytes + chunk.length, about.length);
}
