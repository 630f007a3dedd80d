import { SluiceError } from '../../errors/index.ts';
import type { ClaimLog } from './claim-log.ts';
import type { Claim, ClaimTable } from './claim-table.ts';
import { OpenAnswers, type OpenAnswer } from './open-answers.ts';
import type { SealedAnswers, StoredAnswer } from './sealed-answers.ts';
import type { SharedClaims } from './shared-claims.ts';

/** For responses that are being written. */
const MAX_WRITING_BYTES = 64 * 1024 * 1024;
/** For one shared response. */
export const MAX_SHARED_BYTES = 4 * 1024 * 1024;
/** Per account and process. */
const MAX_SHARED_ACCOUNT_BYTES = 64 * 1024 * 1024;

export interface ClaimAnswersDependencies<Running> {
  readonly claims: ClaimTable<Running>;
  readonly claimLog: ClaimLog;
  readonly sealed: SealedAnswers;
  readonly shared: SharedClaims | null;
  readonly maxBytesPerAccount: number;
  readonly log: { error(fields: object, message: string): void };
}

/** The responses of claims: on disk, in shared memory for other processes, and open while they are sent. */
export class ClaimAnswers<Running> {
  readonly #dependencies: ClaimAnswersDependencies<Running>;
  readonly #open = new OpenAnswers();
  readonly #storing = new Set<Promise<void>>();
  #writingBytes = 0;

  constructor(dependencies: ClaimAnswersDependencies<Running>) {
    this.#dependencies = dependencies;
  }

  /** Stores the response of a claim, where it fits. */
  store(claim: Claim<Running>, answer: StoredAnswer | null): void {
    const { claims, shared, maxBytesPerAccount } = this.#dependencies;
    const bytes = answer === null ? 0 : sizeOf(answer);
    const used = claims.accounts.bytes(claim.accountId, 'bytes');
    const fits = used + bytes <= maxBytesPerAccount && this.#writingBytes + bytes <= MAX_WRITING_BYTES;
    if (answer === null || !fits) {
      shared?.ended(claim.scope, 'not kept', null);
      return this.#markNotStored(claim);
    }
    claim.state = 'kept';
    claim.writing = answer;
    claims.setBytes(claim, 'bytes', bytes);
    if (shared !== null) this.#share(shared, claim, answer, bytes);
    const storing = this.#write(claim, answer, bytes);
    this.#storing.add(storing);
    void storing.then(() => this.#storing.delete(storing));
  }

  /** @throws SluiceError idempotency_unavailable */
  open({ accountId, scope, writing, bytes }: Claim<Running>): OpenAnswer {
    if (writing !== null) return { answer: Promise.resolve(writing), close: () => undefined };
    return this.#open.open(scope, bytes, () => mapToNotReplayable(this.#dependencies.sealed.read(accountId, scope)));
  }

  /** Opens the response of another process' claim. @throws SluiceError idempotency_unavailable */
  openShared(shared: SharedClaims, { accountId, scope }: Claim<Running>): OpenAnswer {
    const read = async (): Promise<StoredAnswer> =>
      this.#dependencies.sealed.open(accountId, scope, await shared.answer(scope));
    return this.#open.open(scope, MAX_SHARED_BYTES, () => mapToNotReplayable(read()));
  }

  remove({ scope, state }: Claim<Running>): void {
    if (state === 'kept') this.#dependencies.sealed.remove(scope);
    this.#open.forget(scope);
  }

  /** Resolves once all responses are written. */
  async written(): Promise<void> {
    await Promise.all(this.#storing);
  }

  /** Publishes the end to the other processes, with the response where it is small enough. */
  #share(shared: SharedClaims, claim: Claim<Running>, answer: StoredAnswer, bytes: number): void {
    const { scope, accountId } = claim;
    const { claims, sealed } = this.#dependencies;
    const used = claims.accounts.bytes(accountId, 'sharedBytes');
    if (bytes > MAX_SHARED_BYTES || used + bytes > MAX_SHARED_ACCOUNT_BYTES)
      return shared.ended(scope, 'not kept', null);
    claims.setBytes(claim, 'sharedBytes', bytes);
    shared.ended(scope, 'kept', {
      bytes: sealed.sizeOf(answer),
      seal: () => sealed.seal(accountId, scope, answer),
    });
  }

  async #write(claim: Claim<Running>, answer: StoredAnswer, bytes: number): Promise<void> {
    const { claims, claimLog, sealed, log } = this.#dependencies;
    this.#writingBytes += bytes;
    try {
      const size = await sealed.write(claim.accountId, claim.scope, answer);
      if (!claims.has(claim)) return sealed.remove(claim.scope);
      claims.setBytes(claim, 'bytes', size);
      claimLog.append('K', claim.scope, [String(size)], null);
    } catch (error) {
      log.error({ err: error }, 'storing a response for its idempotency key failed');
      claims.setBytes(claim, 'bytes', 0);
      this.#markNotStored(claim);
    } finally {
      this.#writingBytes -= bytes;
      claim.writing = null;
    }
  }

  #markNotStored(claim: Claim<Running>): void {
    claim.state = 'not kept';
    this.#dependencies.claimLog.append('N', claim.scope, [], null);
  }
}

async function mapToNotReplayable(reading: Promise<StoredAnswer>): Promise<StoredAnswer> {
  try {
    return await reading;
  } catch (cause) {
    if (cause instanceof SluiceError && cause.code === 'idempotency_unavailable') throw cause;
    throw new SluiceError('idempotency_not_replayable', { cause });
  }
}

function sizeOf({ about, chunks }: StoredAnswer): number {
  return chunks.reduce((bytes, chunk) => bytes + chunk.length, about.length);
}
