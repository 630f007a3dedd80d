import { systemClock, type Clock } from '../../../calendar/clock.ts';
import { CLAIM_MS, MAX_ACCOUNT_CLAIMS } from '../claim-table.ts';
import type { SharedState } from '../shared-claims.ts';
import type { AnswerPlace, ClaimNotice, ClaimQuestion, ClaimReply } from './claim-operations.ts';

const SWEEP_MS = 5 * 60_000;

interface ServedClaim {
  /** Of the worker that has it. */
  readonly slot: number;
  readonly accountId: string;
  readonly fingerprint: string;
  /** By the clock's `monotonic`. */
  readonly expiresAt: number;
  state: SharedState;
  /** Of its response on disk. */
  bytes: number;
  /** Its worker ended while it ran, and the next one has not sent it. */
  isLeft: boolean;
}

/** The idempotency keys of all workers of a supervisor, in its memory. Each worker keeps its own on disk, too. */
export class ClaimServer {
  readonly #workers: number;
  readonly #clock: Clock;
  readonly #maxPerAccount: number;
  readonly #claims = new Map<string, ServedClaim>();
  readonly #perAccount = new Map<string, number>();
  /** Slots whose workers have sent the claims of earlier processes. */
  readonly #recovered = new Set<number>();

  /**
   * @param workers how many there are: nothing is claimed before each has sent what it recovered
   * @param maxPerAccount no account can use up what others need; a claim takes some 300 bytes
   */
  constructor(workers: number, clock: Clock = systemClock, maxPerAccount = MAX_ACCOUNT_CLAIMS) {
    this.#workers = workers;
    this.#clock = clock;
    this.#maxPerAccount = maxPerAccount;
    clock.setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  /** @throws where a worker has not sent its claims, or there is no response */
  ask(slot: number, question: ClaimQuestion): ClaimReply | AnswerPlace {
    return question[0] === 'claim' ? this.#claim(slot, question) : this.#answer(question[1]);
  }

  notice(slot: number, notice: ClaimNotice): void {
    if (notice[0] === 'recovered') return this.#recover(slot, notice);
    const claim = this.#claims.get(notice[1]);
    if (claim?.slot !== slot || claim.state !== 'running') return;
    if (notice[0] === 'free') this.#remove(notice[1], claim);
    else [, , claim.state, claim.bytes] = notice;
  }

  /** A worker has ended: what it ran was interrupted. */
  leave(slot: number): void {
    for (const claim of this.#claims.values())
      if (claim.slot === slot && claim.state === 'running') [claim.state, claim.isLeft] = ['interrupted', true];
  }

  #claim(
    slot: number,
    [, scope, fingerprint, accountId]: Extract<ClaimQuestion, readonly ['claim', ...unknown[]]>,
  ): ClaimReply {
    if (this.#recovered.size < this.#workers) throw new Error('not all workers have read their idempotency keys yet');
    const known = this.#claims.get(scope);
    // A worker that claims its own running key knows that the request does not run.
    const isOwn = known?.slot === slot && known.state === 'running';
    if (known !== undefined && !isOwn && !this.#isExpired(known))
      return { state: known.state, fingerprint: known.fingerprint };
    if (known !== undefined) this.#remove(scope, known);
    if ((this.#perAccount.get(accountId) ?? 0) >= this.#maxPerAccount) return 'full';
    const expiresAt = this.#clock.monotonic() + CLAIM_MS;
    this.#add(scope, { slot, accountId, fingerprint, expiresAt, state: 'running', bytes: 0, isLeft: false });
    return null;
  }

  #answer(scope: string): AnswerPlace {
    const claim = this.#claims.get(scope);
    if (claim?.state !== 'kept') throw new Error('there is no stored response');
    return { slot: claim.slot, bytes: claim.bytes };
  }

  #recover(slot: number, [, claims, isLast]: Extract<ClaimNotice, readonly ['recovered', ...unknown[]]>): void {
    const now = this.#clock.monotonic();
    for (const { scope, accountId, fingerprint, state, bytes, leftMs } of claims) {
      const known = this.#claims.get(scope);
      if (known !== undefined && known.slot !== slot) continue;
      if (known !== undefined) this.#remove(scope, known);
      this.#add(scope, { slot, accountId, fingerprint, expiresAt: now + leftMs, state, bytes, isLeft: false });
    }
    if (!isLast) return;
    this.#recovered.add(slot);
    // Their requests never ran: a claim is on disk before that.
    for (const [scope, claim] of this.#claims) if (claim.slot === slot && claim.isLeft) this.#remove(scope, claim);
  }

  #add(scope: string, claim: ServedClaim): void {
    this.#claims.set(scope, claim);
    this.#perAccount.set(claim.accountId, (this.#perAccount.get(claim.accountId) ?? 0) + 1);
  }

  #remove(scope: string, { accountId }: ServedClaim): void {
    this.#claims.delete(scope);
    const left = (this.#perAccount.get(accountId) ?? 0) - 1;
    if (left > 0) this.#perAccount.set(accountId, left);
    else this.#perAccount.delete(accountId);
  }

  #isExpired({ state, expiresAt }: ServedClaim): boolean {
    return state !== 'running' && this.#clock.monotonic() >= expiresAt;
  }

  #sweep(): void {
    for (const [scope, claim] of this.#claims) if (this.#isExpired(claim)) this.#remove(scope, claim);
  }
}
