import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { delay, systemClock, type Clock } from '../../../calendar/clock.ts';
import { inTime } from '../../../calendar/in-time.ts';
import { MAX_ACCOUNT_CLAIMS } from '../claim-table.ts';
import { tooManyKeys } from '../idempotency-errors.ts';
import type { EndState, OtherClaim, RecoveredClaim, SharedAnswer, SharedClaims } from '../shared-claims.ts';
import type { ClaimMessages, ClaimReply } from './claim-operations.ts';

/** Per message. */
const MAX_RECOVERED = 2_000;
const POLL_MS = 50;
/** A response is published when it ends, and is on disk soon after. */
const MAX_WRITE_MS = 2_000;
/** For a supervisor that does not respond. */
const MAX_REPLY_MS = 5_000;
const RETRY_FULL_MS = 5 * 60_000;

export interface WorkerClaimsOptions {
  readonly messages: ClaimMessages;
  /** The folder with the responses of a worker. */
  readonly answersOf: (slot: number) => string;
  readonly clock?: Clock;
}

/** Idempotency keys of a worker, which its supervisor knows. Responses of other workers are read in their folders. */
export class WorkerClaims implements SharedClaims {
  readonly #messages: ClaimMessages;
  readonly #answersOf: (slot: number) => string;
  readonly #clock: Clock;
  /** The last claim of each key that waits for a reply. */
  readonly #asked = new Map<string, symbol>();

  constructor({ messages, answersOf, clock = systemClock }: WorkerClaimsOptions) {
    this.#messages = messages;
    this.#answersOf = answersOf;
    this.#clock = clock;
  }

  recovered(claims: readonly RecoveredClaim[]): void {
    for (let at = 0; at < claims.length; at += MAX_RECOVERED)
      this.#messages.post(['recovered', claims.slice(at, at + MAX_RECOVERED), false]);
    this.#messages.post(['recovered', [], true]);
  }

  async claim(scope: string, fingerprint: string, accountId: string): Promise<OtherClaim | null> {
    let reply: ClaimReply;
    const asked = Symbol(scope);
    this.#asked.set(scope, asked);
    try {
      reply = await inTime(this.#clock, MAX_REPLY_MS, this.#messages.claim(scope, fingerprint, accountId));
    } catch (error) {
      // It may be claimed later: the supervisor handles messages in order. One that was asked for again meanwhile is not of this claim.
      if (this.#asked.get(scope) === asked) this.free(scope);
      throw error;
    } finally {
      if (this.#asked.get(scope) === asked) this.#asked.delete(scope);
    }
    if (reply === 'full') throw tooManyKeys(MAX_ACCOUNT_CLAIMS, RETRY_FULL_MS);
    return reply;
  }

  free(scope: string): void {
    this.#messages.post(['free', scope]);
  }

  ended(scope: string, state: EndState, answer: SharedAnswer | null): void {
    this.#messages.post(['ended', scope, state, answer?.bytes ?? 0]);
  }

  async answer(scope: string): Promise<Buffer> {
    const { slot, bytes } = await inTime(this.#clock, MAX_REPLY_MS, this.#messages.answer(scope));
    const path = join(this.#answersOf(slot), scope);
    for (let waitedMs = 0; (await sizeOf(path)) !== bytes; waitedMs += POLL_MS) {
      if (waitedMs >= MAX_WRITE_MS) throw new Error('the stored response of another worker is not on disk');
      await delay(this.#clock, POLL_MS);
    }
    return readFile(path);
  }
}

/** Null for no file. */
async function sizeOf(path: string): Promise<number | null> {
  const found = await stat(path).catch(() => null);
  return found === null ? null : found.size;
}
