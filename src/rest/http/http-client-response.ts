import type { Response } from 'express';
import { formatUsd } from '../../catalogue/prices/price.ts';
import { renderOpenAiError, type SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { LimitStore, LimitBound } from '../../gateway/limits/limit-store.ts';
import { setBounded } from '../../gateway/routing/set-bounded.ts';
import type { ResponseHead, ClientResponse, ResponseTarget } from '../../gateway/client-response.ts';
import {
  openaiVersion,
  rateLimitHeaders,
  setRateLimitHeaders,
  setSerialisedHeaders,
  writeOwnHead,
} from '../headers/response-headers.ts';
import { exposedHeaders } from '../headers/documented-headers.ts';
import { answerError } from './errors.ts';
import { originOf } from './request-origin.ts';
import { elapsedMs, type RequestIdentity } from '../headers/request-headers.ts';
import type { OpenRequest } from '../../gateway/call.ts';

/** A body up to this size is written with its headers as one string: one small write costs half of two. */
const SMALL_BODY_BYTES = 16 * 1024;
const COST = 'x-sluice-cost';
const headersForBrowsers = `access-control-allow-origin: *\r\naccess-control-expose-headers: ${exposedHeaders}\r\n`;
const routed = new Map<string, { contentType: string; provider: string; headers: string }>();
const MAX_ROUTED = 1_000;
const MAX_NAMES = 50;
const MAX_NAME_LENGTH = 100;

/** Writes the response of a request as HTTP. Headers are written by hand, because this path is performance-critical. */
export class HttpClientResponse implements ClientResponse {
  readonly #response: Response;
  readonly #identity: RequestIdentity;
  readonly #key: KeyRecord;
  readonly #limits: LimitStore;
  #openRequest: OpenRequest | null = null;
  #bounds: readonly LimitBound[] | undefined;
  #maxTokens: number | null = null;
  #streamsMedia = false;
  /** Media streams report their cost in a trailer, because they have no last event. */
  #costFollows = false;

  constructor(response: Response, identity: RequestIdentity, key: KeyRecord, limits: LimitStore) {
    this.#response = response;
    this.#identity = identity;
    this.#key = key;
    this.#limits = limits;
  }

  get origin(): string {
    return originOf(this.#response.req);
  }

  setBounds(bounds: readonly LimitBound[]): void {
    this.#bounds = bounds;
  }

  setOutputCap(tokens: number): void {
    this.#maxTokens = tokens;
  }

  markUsed(): void {
    this.#response.locals.isUsed = true;
  }

  /** Notifies the request when the client disconnects. */
  follow(openRequest: OpenRequest): void {
    this.#openRequest = openRequest;
    this.#response.on('close', () => openRequest.onClientDisconnect());
  }

  head(head: ResponseHead): void {
    const isStream = head.contentLength === null;
    const { requestId } = this.#identity;
    const view = this.#limits.view(this.#key, this.#bounds);
    let headers =
      routedHeaders(head) +
      `openai-processing-ms: ${elapsedMs(this.#identity)}\r\nx-request-id: ${requestId}\r\n` +
      rateLimitHeaders(view);
    const { clientFormat } = this.#response.locals;
    if (clientFormat !== undefined) headers += clientFormat.headers(requestId, view, this.#identity.clock.now());
    // Only browsers need these, and they send `origin`.
    if (this.#response.req.headers.origin !== undefined) headers += headersForBrowsers;
    if (head.cache !== null) headers += `x-sluice-cache: ${head.cache}\r\n`;
    if (head.moderation !== null) headers += `x-sluice-moderation: ${headerText(head.moderation)}\r\n`;
    if (head.dropped.length > 0) headers += `x-sluice-dropped-params: ${headerList(head.dropped)}\r\n`;
    if (this.#maxTokens !== null) headers += `x-sluice-max-tokens: ${this.#maxTokens}\r\n`;
    if (head.costNano !== null && head.priced) headers += `${COST}: ${formatUsd(head.costNano)}\r\n`;
    headers += isStream ? this.#headersOfStream(head) : `content-length: ${head.contentLength}\r\n`;
    writeOwnHead(this.#response, headers, isStream);
  }

  write(bytes: Buffer): boolean {
    const hasRoom = this.#response.write(bytes);
    if (!hasRoom) this.#response.once('drain', () => this.#openRequest?.onClientDrained());
    return hasRoom;
  }

  end(bytes: Buffer | null, costNano: bigint | null): void {
    if (this.#costFollows && costNano !== null) this.#response.addTrailers({ [COST]: formatUsd(costNano) });
    if (bytes !== null && bytes.length <= SMALL_BODY_BYTES) this.#response.end(bytes.toString('latin1'), 'latin1');
    else this.#response.end(bytes);
  }

  fail(error: SluiceError, routed: ResponseTarget | null): void {
    const response = this.#response;
    if (response.destroyed) return;
    if (response.headersSent) {
      // Media cannot contain an error: a closed connection marks them as incomplete.
      if (this.#streamsMedia) response.destroy();
      else response.end(`data: ${renderOpenAiError(error)}\n\n`);
      return;
    }
    if (routed !== null)
      response.setHeader('x-sluice-provider', routed.provider).setHeader('x-sluice-model', headerText(routed.model));
    const { requestId, clock } = this.#identity;
    const view = this.#limits.view(this.#key, this.#bounds);
    setRateLimitHeaders(response, view);
    const { clientFormat } = response.locals;
    if (clientFormat !== undefined) setSerialisedHeaders(response, clientFormat.headers(requestId, view, clock.now()));
    answerError(response, error);
  }

  abort(): void {
    this.#response.destroy();
  }

  #headersOfStream({ contentType, priced }: ResponseHead): string {
    if (contentType.startsWith('text/event-stream')) return 'x-accel-buffering: no\r\n';
    this.#streamsMedia = true;
    this.#costFollows = priced;
    return priced ? `trailer: ${COST}\r\n` : '';
  }
}

/** Headers that most responses of a model have in common, cached per model. */
function routedHeaders({ contentType, provider, model }: ResponseHead): string {
  const known = routed.get(model);
  if (known !== undefined && known.contentType === contentType && known.provider === provider) return known.headers;
  const headers = `content-type: ${headerText(contentType)}\r\ncache-control: no-store\r\nx-content-type-options: nosniff\r\nopenai-version: ${openaiVersion}\r\nx-sluice-provider: ${provider}\r\nx-sluice-model: ${headerText(model)}\r\n`;
  setBounded(routed, MAX_ROUTED, model, { contentType, provider, headers });
  return headers;
}

/** Headers are ASCII: other names are percent-encoded. */
function headerText(name: string): string {
  return /^[\x20-\x7e]*$/.test(name) ? name : encodeURI(name.toWellFormed());
}

/** Names come from clients, so their length and number are bounded. */
function headerList(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => headerText(name.slice(0, MAX_NAME_LENGTH)));
  if (names.length > shown.length) shown.push(`${names.length - shown.length} more`);
  return shown.join(', ');
}
