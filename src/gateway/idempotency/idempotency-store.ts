import { createHmac, hkdfSync } from 'node:crypto';
import { join } from 'node:path';
import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import { SluiceError } from '../../errors/index.ts';
import { AccountUse } from './account-use.ts';
import { ClaimLog, type ClaimLine } from './claim-log.ts';
import { OpenAnswers, type OpenAnswer } from './open-answers.ts';
import { SealedAnswers, type StoredAnswer } from './sealed-answers.ts';
import type { OtherClaim, SharedClaims } from './shared-claims.ts';
import { formatDuration } from '../limits/limit-view.ts';

const CLAIM_MS = 24 * 60 * 60_000;
const SWEEP_MS = 5 * 60_000;
/** For responses that are being written. */
const MAX_WRITING_BYTES = 64 * 1024 * 1024;
/** For one shared response. */
const MAX_SHARED_BYTES = 4 * 1024 * 1024;
/** Per account and process. */
const MAX_SHARED_ACCOUNT_BYTES = 64 * 1024 * 1024;
const RETRY_MS = 2_000;
const ACCOUNT_ID_LENGTH = 36;

export interface IdempotencyBounds {
  /** Requests with an idempotency key per account within 24 h. */
  readonly claimsPerAccount: number;
  /** Bytes of stored responses per account. */
  readonly bytesPerAccount: number;
}

const DEFAULT_IDEMPOTENCY_BOUNDS: IdempotencyBounds = {
  claimsPerAccount: 100_000,
  bytesPerAccount: 256 * 1024 * 1024,
};

export interface IdempotencyStoreParts {
  readonly folder: string;
  readonly masterKey: string;
  readonly log: { error(fields: object, message: string): void };
  readonly clock?: Clock;
  readonly bounds?: IdempotencyBounds;
  /** Null where no other process serves the same accounts. */
  readonly shared?: SharedClaims | null;
}

/** `interrupted`: it may have run, and its response never ended. */
type State = 'running' | 'kept' | 'not kept' | 'interrupted';

/** One use of an idempotency key. */
export interface Claim<Running> {
  readonly scope: string;
  readonly accountId: string;
  readonly fingerprint: string;
  /** By the clock's `monotonic`. */
  readonly expiresAt: number;
  state: State;
  /** The running request; null otherwise. */
  running: Running | null;
  /** Its response until it is on disk. */
  writing: StoredAnswer | null;
  /** Bytes of its response on disk. */
  bytes: number;
  /** Bytes of its response in shared memory. */
  sharedBytes: number;
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
  readonly #log: IdempotencyStoreParts['log'];
  readonly #bounds: IdempotencyBounds;
  readonly #fingerprintKey: Buffer;
  readonly #answers: SealedAnswers;
  readonly #claimLog: ClaimLog;
  /** Oldest first. */
  readonly #claims = new Map<string, Claim<Running>>();
  readonly #accounts = new AccountUse();
  readonly #open = new OpenAnswers();
  readonly #shared: SharedClaims | null;
  readonly #sweeper: Timer;
  readonly #storing = new Set<Promise<void>>();
  #writingBytes = 0;

  constructor({
    folder,
    masterKey,
    log,
    clock = systemClock,
    bounds = DEFAULT_IDEMPOTENCY_BOUNDS,
    shared = null,
  }: IdempotencyStoreParts) {
    this.#clock = clock;
    this.#log = log;
    this.#bounds = bounds;
    this.#shared = shared;
    this.#fingerprintKey = Buffer.from(hkdfSync('sha256', masterKey, '', 'sluice/idempotency-fingerprints/1', 32));
    this.#answers = new SealedAnswers(join(folder, 'answers'), masterKey);
    this.#claimLog = new ClaimLog(folder, clock, (line) => this.#recover(line));
    this.#answers.removeAllBut({ has: (name) => this.#claims.get(name)?.state === 'kept' });
    this.#sweeper = clock.setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  /** Keyed, so that files on disk reveal nothing about a short prompt. */
  fingerprint(digest: Buffer): string {
    return createHmac('sha256', this.#fingerprintKey).update(digest).digest('base64url');
  }

  /**
   * Null where the key is free; else the claim, running or with a response.
   * @throws SluiceError idempotency_key_reused | idempotency_interrupted | idempotency_not_replayable
   */
  find(scope: string, fingerprint: string): Claim<Running> | null {
    const claim = this.#claims.get(scope);
    if (claim === undefined) return null;
    if (this.#isExpired(claim)) {
      this.#remove(claim);
      return null;
    }
    assertRepeated(claim, fingerprint);
    return claim;
  }

  /** Claims a key that is free here. @throws SluiceError too_many_idempotency_keys */
  claim(
    { scope, accountId, fingerprint }: Pick<Claim<Running>, 'scope' | 'accountId' | 'fingerprint'>,
    running: Running,
    waiter: ClaimWaiter,
  ): Claim<Running> {
    const limit = this.#bounds.claimsPerAccount;
    if (this.#accounts.requests(accountId) >= limit) {
      const retryAfterMs = SWEEP_MS;
      throw new SluiceError('too_many_idempotency_keys', {
        retryAfterMs,
        values: { limit, wait: formatDuration(retryAfterMs) },
      });
    }
    const expiresAt = this.#clock.monotonic() + CLAIM_MS;
    const claim = this.#add({ ...unanswered, scope, accountId, fingerprint, expiresAt, running, state: 'running' });
    if (this.#shared === null) this.#record(claim, waiter);
    else void this.#claimShared(this.#shared, claim, waiter);
    return claim;
  }

  /** Releases a key whose request used nothing; it may be used again. */
  free(claim: Claim<Running>): void {
    if (this.#claims.get(claim.scope) !== claim) return;
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
    const bytes = answer === null ? 0 : sizeOf(answer);
    const used = this.#accounts.bytes(claim.accountId, 'bytes');
    const fits = used + bytes <= this.#bounds.bytesPerAccount && this.#writingBytes + bytes <= MAX_WRITING_BYTES;
    if (answer === null || !fits) {
      this.#shared?.ended(claim.scope, 'not kept', null);
      return this.#markNotStored(claim);
    }
    claim.state = 'kept';
    claim.writing = answer;
    this.#setStoredBytes(claim, bytes);
    this.#share(claim, answer, bytes);
    const storing = this.#store(claim, answer, bytes);
    this.#storing.add(storing);
    void storing.then(() => this.#storing.delete(storing));
  }

  /** Opens the stored response of a claim; closed after sending. @throws SluiceError idempotency_unavailable */
  answer(claim: Claim<Running>): OpenAnswer {
    const { accountId, scope, writing } = claim;
    if (writing !== null) return { answer: Promise.resolve(writing), close: () => undefined };
    return this.#open.open(scope, claim.bytes, () => mapToNotReplayable(this.#answers.read(accountId, scope)));
  }

  /**
   * Opens the response of another process' claim; closed after sending.
   * @throws SluiceError idempotency_key_reused | idempotency_in_progress | idempotency_interrupted |
   * idempotency_not_replayable | idempotency_unavailable
   */
  answerElsewhere({ scope, accountId, fingerprint }: Claim<Running>, other: OtherClaim): OpenAnswer {
    const shared = this.#shared;
    assertRepeated(other, fingerprint);
    if (other.state === 'running') throw inProgress();
    if (shared === null) throw new SluiceError('idempotency_not_replayable');
    const read = async (): Promise<StoredAnswer> => this.#answers.open(accountId, scope, await shared.answer(scope));
    return this.#open.open(scope, MAX_SHARED_BYTES, () => mapToNotReplayable(read()));
  }

  /** Waits for responses that are being written. */
  async close(): Promise<void> {
    this.#sweeper.cancel();
    await Promise.all(this.#storing);
    this.#claimLog.close();
  }

  async #claimShared(shared: SharedClaims, claim: Claim<Running>, waiter: ClaimWaiter): Promise<void> {
    let other: OtherClaim | null;
    try {
      other = await shared.claim(claim.scope, claim.fingerprint);
    } catch (error) {
      return waiter.onFailure(toError(error));
    }
    if (other !== null) return waiter.onClaimedElsewhere(other);
    // Its clients may have disconnected: then it is released and never runs.
    if (this.#claims.get(claim.scope) !== claim) return waiter.onDurable();
    this.#record(claim, waiter);
  }

  #record({ scope, fingerprint, accountId }: Claim<Running>, waiter: ClaimWaiter): void {
    this.#claimLog.append('C', scope, [fingerprint, this.#clock.now().toString(36), accountId], {
      onDurable: () => waiter.onDurable(),
      onJournalFailure: (error) => waiter.onFailure(error),
    });
  }

  /** Publishes the end to the other processes, with the response where it is small enough. */
  #share(claim: Claim<Running>, answer: StoredAnswer, bytes: number): void {
    const { scope, accountId } = claim;
    if (this.#shared === null) return;
    const used = this.#accounts.bytes(accountId, 'sharedBytes');
    if (bytes > MAX_SHARED_BYTES || used + bytes > MAX_SHARED_ACCOUNT_BYTES)
      return this.#shared.ended(scope, 'not kept', null);
    claim.sharedBytes = bytes;
    this.#accounts.add(accountId, 'sharedBytes', bytes);
    this.#shared.ended(scope, 'kept', this.#answers.seal(accountId, scope, answer));
  }

  async #store(claim: Claim<Running>, answer: StoredAnswer, bytes: number): Promise<void> {
    this.#writingBytes += bytes;
    try {
      const size = await this.#answers.write(claim.accountId, claim.scope, answer);
      if (this.#claims.get(claim.scope) !== claim) return this.#answers.remove(claim.scope);
      this.#setStoredBytes(claim, size);
      this.#claimLog.append('K', claim.scope, [String(size)], null);
    } catch (error) {
      this.#log.error({ err: error }, 'storing a response for its idempotency key failed');
      this.#setStoredBytes(claim, 0);
      this.#markNotStored(claim);
    } finally {
      this.#writingBytes -= bytes;
      claim.writing = null;
    }
  }

  #markNotStored(claim: Claim<Running>): void {
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
      // The wall clock may have been set back since.
      const age = Math.max(0, this.#clock.now() - claimedAt);
      const expiresAt = this.#clock.monotonic() + CLAIM_MS - age;
      const claim = { ...unanswered, scope, accountId, fingerprint, expiresAt, running: null };
      if (age < CLAIM_MS) this.#add({ ...claim, state: 'interrupted' });
      return;
    }
    if (known === undefined) return;
    if (mark === 'F') this.#forget(known);
    if (mark === 'N') known.state = 'not kept';
    if (mark === 'K') {
      known.state = 'kept';
      this.#setStoredBytes(known, Number(fields[0] ?? 0));
    }
  }

  #add(claim: Claim<Running>): Claim<Running> {
    this.#claims.set(claim.scope, claim);
    this.#accounts.claimed(claim.accountId, this.#clock.monotonic());
    return claim;
  }

  /** @param freedAt when it was released; absent where it expired */
  #remove(claim: Claim<Running>, freedAt?: number): void {
    if (claim.state === 'kept') this.#answers.remove(claim.scope);
    this.#forget(claim, freedAt);
  }

  #forget(claim: Claim<Running>, freedAt?: number): void {
    this.#claims.delete(claim.scope);
    this.#open.forget(claim.scope);
    this.#setStoredBytes(claim, 0);
    this.#accounts.add(claim.accountId, 'sharedBytes', -claim.sharedBytes);
    this.#accounts.released(claim.accountId, freedAt);
  }

  #setStoredBytes(claim: Claim<Running>, bytes: number): void {
    this.#accounts.add(claim.accountId, 'bytes', bytes - claim.bytes);
    claim.bytes = bytes;
  }

  #isExpired({ expiresAt, running }: Claim<Running>): boolean {
    return running === null && this.#clock.monotonic() >= expiresAt;
  }

  #sweep(): void {
    const now = this.#clock.monotonic();
    for (const claim of this.#claims.values()) {
      if (claim.expiresAt > now) break;
      if (this.#isExpired(claim)) this.#remove(claim);
    }
    this.#accounts.forgetFreed(now, CLAIM_MS);
    this.#claimLog.removeOlderThan(CLAIM_MS);
  }
}

const unanswered = { writing: null, bytes: 0, sharedBytes: 0 };

/** @throws SluiceError where the request differs, or its response cannot be replayed */
function assertRepeated(earlier: { readonly fingerprint: string; readonly state: State }, fingerprint: string): void {
  if (earlier.fingerprint !== fingerprint) throw new SluiceError('idempotency_key_reused');
  if (earlier.state === 'interrupted') throw new SluiceError('idempotency_interrupted');
  if (earlier.state === 'not kept') throw new SluiceError('idempotency_not_replayable');
}

/** The error for a request that runs in another process. */
export function inProgress(): SluiceError {
  return new SluiceError('idempotency_in_progress', {
    retryAfterMs: RETRY_MS,
    values: { wait: formatDuration(RETRY_MS) },
  });
}

async function mapToNotReplayable(reading: Promise<StoredAnswer>): Promise<StoredAnswer> {
  try {
    return await reading;
  } catch (cause) {
    throw new SluiceError('idempotency_not_replayable', { cause });
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function sizeOf({ about, chunks }: StoredAnswer): number {
  return chunks.reduce((bytes, chunk) => bytes + chunk.length, about.length);
}
