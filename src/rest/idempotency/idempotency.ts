import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { SluiceError, toSluiceError } from '../../errors/index.ts';
import type { Claim } from '../../gateway/idempotency/claim-table.ts';
import { inProgress } from '../../gateway/idempotency/idempotency-errors.ts';
import type { IdempotencyStore } from '../../gateway/idempotency/idempotency-store.ts';
import { digestOf } from '../../gateway/idempotency/input-digest.ts';
import type { OpenAnswer } from '../../gateway/idempotency/open-answers.ts';
import type { StoredAnswer } from '../../gateway/idempotency/sealed-answers.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { LimitStore } from '../../gateway/limits/limit-store.ts';
import { release, type RequestInput } from '../../gateway/request-input.ts';
import { responseFrame, REPLAYED, sendHead } from './response-frame.ts';
import { IDEMPOTENCY_KEY } from './idempotency-key.ts';
import { SharedResponse, type RecordedResponse } from './shared-response.ts';
import { setRateLimitHeaders } from '../headers/response-headers.ts';

/** Printable ASCII, as a header may hold it. */
const KEY_FORM = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

declare global {
  namespace Express {
    interface Locals {
      /** Whether its request used something of a provider. */
      isUsed?: boolean;
    }
  }
}

export interface IdempotencyDependencies {
  readonly store: IdempotencyStore<SharedResponse>;
  readonly limits: LimitStore;
}

type Fail = (error: SluiceError) => void;

/** `Idempotency-Key` of the routes under `/v1`. */
export class Idempotency {
  readonly #dependencies: IdempotencyDependencies;

  constructor(dependencies: IdempotencyDependencies) {
    this.#dependencies = dependencies;
  }

  /** Null for a request without the header. @throws SluiceError invalid_idempotency_key */
  begin(request: Request, response: Response, key: KeyRecord): IdempotentRequest | null {
    const given = request.headers[IDEMPOTENCY_KEY];
    if (given === undefined) return null;
    // Node joins repeated headers.
    const isOnce = request.headersDistinct[IDEMPOTENCY_KEY]?.length === 1;
    if (typeof given !== 'string' || !isOnce || !KEY_FORM.test(given)) throw new SluiceError('invalid_idempotency_key');
    const [path = ''] =
      request.originalUrl === undefined ? request.url.split('?', 1) : request.originalUrl.split('?', 1);
    const parts = JSON.stringify([key.id, key.memberId, request.method, path, given]);
    const scope = createHash('sha256').update(parts).digest('base64url');
    return new IdempotentRequest(this.#dependencies, response, key, scope);
  }
}

/** A request with an `Idempotency-Key`. Its response is shared after the key is claimed. */
export class IdempotentRequest {
  readonly #dependencies: IdempotencyDependencies;
  readonly #key: KeyRecord;
  readonly #scope: string;
  readonly #answer: SharedResponse;

  constructor(dependencies: IdempotencyDependencies, response: Response, key: KeyRecord, scope: string) {
    this.#dependencies = dependencies;
    this.#key = key;
    this.#scope = scope;
    this.#answer = new SharedResponse(response);
  }

  /** The response for the route. */
  get response(): Response {
    return this.#answer.response;
  }

  /**
   * Runs the request after its claim is durable, or replays the response of the first request with the key.
   * @param fail called with the error if the request is rejected
   */
  claim(input: RequestInput, run: () => void, fail: Fail): void {
    const { store } = this.#dependencies;
    try {
      const { digest, isUnstored } = digestOf(input);
      const fingerprint = store.fingerprint(digest);
      const earlier = store.find(this.#scope, fingerprint);
      if (earlier === null) return this.#start(fingerprint, isUnstored, { input, run, fail });
      release(input);
      if (earlier.running !== null) this.#join(earlier.running);
      else this.#replay(earlier, fail);
    } catch (error) {
      release(input);
      fail(toSluiceError(error));
    }
  }

  #start(
    fingerprint: string,
    isUnstored: boolean,
    pending: { input: RequestInput; run: () => void; fail: Fail },
  ): void {
    const { store } = this.#dependencies;
    const { accountId, zeroRetention } = this.#key;
    const answer = this.#answer;
    const isKept = !isUnstored && zeroRetention !== true;
    let hasBegun = false;
    const claim = store.claim({ scope: this.#scope, accountId, fingerprint }, answer, {
      onDurable: () => {
        if (!answer.hasReaders) return release(pending.input);
        hasBegun = true;
        try {
          pending.run();
        } catch (error) {
          pending.fail(toSluiceError(error));
        }
      },
      onClaimedElsewhere: (other) => {
        release(pending.input);
        const replay = async (): Promise<void> => {
          this.#assertKept();
          await this.#send(store.answerElsewhere(claim, other), () => answer.response);
        };
        replay().catch((error: unknown) => pending.fail(toSluiceError(error)));
      },
      onFailure: (cause) => {
        release(pending.input);
        const isRefusal = cause instanceof SluiceError;
        pending.fail(isRefusal ? cause : new SluiceError('idempotency_unavailable', { retryAfterMs: 1_000, cause }));
      },
    });
    answer.onEnd = (recorded) => {
      const isFree = !hasBegun || (recorded !== null && !isFinal(recorded.status, answer.response));
      if (isFree) store.free(claim);
      else if (recorded === null) store.interrupted(claim);
      else store.ended(claim, isKept ? keptOf(recorded) : null);
    };
  }

  #join(running: SharedResponse): void {
    if (!running.isJoinable) throw new SluiceError('idempotency_not_replayable');
    if (!running.hasRoom) throw inProgress();
    const reader = this.#answer.leave();
    if (reader === null) return;
    this.#setLimitHeaders(reader);
    running.join(reader);
  }

  #replay(claim: Claim<SharedResponse>, fail: Fail): void {
    const replay = async (): Promise<void> => {
      this.#assertKept();
      await this.#send(this.#dependencies.store.answer(claim), () => this.#answer.leave());
    };
    replay().catch((error: unknown) => fail(toSluiceError(error)));
  }

  /** Responses stored before the account enabled zero retention are not replayed. */
  #assertKept(): void {
    if (this.#key.zeroRetention === true) throw new SluiceError('idempotency_not_replayable');
  }

  async #send(opened: OpenAnswer, readerOf: () => Response | null): Promise<void> {
    let reader: Response | null = null;
    try {
      const { about, chunks } = await opened.answer;
      const frame = responseFrame.parse(JSON.parse(about));
      reader = readerOf();
      if (reader === null || reader.destroyed) return opened.close();
      reader.on('close', () => opened.close());
      this.#setLimitHeaders(reader);
      reader.setHeader(REPLAYED, 'true');
      sendHead(reader, frame);
      if (frame.trailers.length > 0) reader.addTrailers(Object.fromEntries(frame.trailers));
      reader.end(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
      // The `close` event of a connection does not cover a shared response.
      if (reader === this.#answer.response) opened.close();
    } catch (error) {
      opened.close();
      throw error;
    }
  }

  #setLimitHeaders(reader: Response): void {
    setRateLimitHeaders(reader, this.#dependencies.limits.view(this.#key));
  }
}

/** Whether the request must not run again: it succeeded, or it failed after usage was recorded. */
function isFinal(status: number, response: Response): boolean {
  return (status >= 200 && status < 300) || response.locals.isUsed === true;
}

function keptOf({ chunks, ...frame }: RecordedResponse): StoredAnswer | null {
  return chunks === null ? null : { about: JSON.stringify(frame), chunks };
}
