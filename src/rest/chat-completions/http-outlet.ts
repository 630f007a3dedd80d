import type { Response } from 'express';
import { formatUsd } from '../../catalogue/price.ts';
import { renderOpenAiError, type SluiceError } from '../../errors/index.ts';
import type { Exchange } from '../../gateway/exchange.ts';
import type { KeyRecord } from '../../gateway/key-directory.ts';
import { formatDuration } from '../../gateway/limits/format-duration.ts';
import type { LimitStore } from '../../gateway/limits/limit-store.ts';
import type { AnswerHead, Outlet } from '../../gateway/outlet.ts';
import { constantHeaders } from '../answer-headers.ts';
import { answerError } from '../errors.ts';
import type { RequestIdentity } from '../request-identity.ts';

const jsonHeaders = [...constantHeaders, 'content-type', 'application/json'];
const streamHeaders = [
  ...constantHeaders,
  'content-type',
  'text/event-stream; charset=utf-8',
  'cache-control',
  'no-cache',
  'x-accel-buffering',
  'no',
];

/** An exchange's answer as an HTTP response. Headers are written by hand: this is the path whose cost counts. */
export class HttpOutlet implements Outlet {
  readonly #response: Response;
  readonly #identity: RequestIdentity;
  readonly #key: KeyRecord;
  readonly #limits: LimitStore;

  constructor(response: Response, identity: RequestIdentity, key: KeyRecord, limits: LimitStore) {
    this.#response = response;
    this.#identity = identity;
    this.#key = key;
    this.#limits = limits;
  }

  /** Tells the exchange of what becomes of the caller's connection. */
  follow(exchange: Exchange): void {
    this.#response.on('close', () => exchange.callerGone());
    this.#response.on('drain', () => exchange.callerDrained());
  }

  head(head: AnswerHead): void {
    const headers = head.streamed ? [...streamHeaders] : [...jsonHeaders];
    headers.push(
      'x-request-id',
      this.#identity.requestId,
      'openai-processing-ms',
      this.#elapsedMs(),
      'x-sluice-provider',
      head.provider,
      'x-sluice-model',
      head.model,
    );
    this.#eachLimit((name, value) => headers.push(name, value));
    if (head.costNano !== null) headers.push('x-sluice-cost', formatUsd(head.costNano));
    if (head.contentLength !== null) headers.push('content-length', String(head.contentLength));
    this.#response.writeHead(200, headers);
  }

  write(bytes: Buffer): boolean {
    return this.#response.write(bytes);
  }

  end(bytes: Buffer | null): void {
    this.#response.end(bytes);
  }

  fail(error: SluiceError): void {
    const response = this.#response;
    if (response.destroyed) return;
    if (response.headersSent) {
      response.end(`data: ${renderOpenAiError(error)}\n\n`);
      return;
    }
    this.#eachLimit((name, value) => response.setHeader(name, value));
    answerError(response, error);
  }

  #elapsedMs(): string {
    return String(Math.round(performance.now() - this.#identity.startedAt));
  }

  #eachLimit(add: (name: string, value: string) => void): void {
    const view = this.#limits.view(this.#key);
    add('x-ratelimit-limit-requests', String(view.limitRequests));
    add('x-ratelimit-remaining-requests', String(view.remainingRequests));
    add('x-ratelimit-reset-requests', formatDuration(view.resetRequestsMs));
    add('x-ratelimit-limit-tokens', String(view.limitTokens));
    add('x-ratelimit-remaining-tokens', String(view.remainingTokens));
    add('x-ratelimit-reset-tokens', formatDuration(view.resetTokensMs));
  }
}
