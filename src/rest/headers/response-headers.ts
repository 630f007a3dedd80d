import type { Response } from 'express';
import { elapsedMs, identityOf } from './request-headers.ts';
import type { RateLimitView } from '../../gateway/limits/limit-store.ts';
import { formatDuration } from '../../gateway/limits/limit-view.ts';
import { systemClock } from '../../calendar/clock.ts';
import { exposedHeaders } from './documented-headers.ts';

/** The API version that OpenAI's SDKs and tools expect. */
export const openaiVersion = '2020-10-01';

/** Sets the headers of every `/v1` response. */
export function setStandardHeaders(response: Response): void {
  const identity = identityOf(response);
  response.setHeader('openai-version', openaiVersion);
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', exposedHeaders);
  response.setHeader('x-request-id', identity.requestId);
  response.setHeader('openai-processing-ms', String(elapsedMs(identity)));
}

/** Serialised, one line each. */
export function rateLimitHeaders(view: RateLimitView): string {
  return (
    `x-ratelimit-limit-requests: ${view.limitRequests}\r\n` +
    `x-ratelimit-remaining-requests: ${view.remainingRequests}\r\n` +
    `x-ratelimit-reset-requests: ${formatDuration(view.resetRequestsMs)}\r\n` +
    `x-ratelimit-limit-tokens: ${view.limitTokens}\r\n` +
    `x-ratelimit-remaining-tokens: ${view.remainingTokens}\r\n` +
    `x-ratelimit-reset-tokens: ${formatDuration(view.resetTokensMs)}\r\n`
  );
}

export function setRateLimitHeaders(response: Response, view: RateLimitView): void {
  setSerialisedHeaders(response, rateLimitHeaders(view));
}

/** @param headers one line each */
export function setSerialisedHeaders(response: Response, headers: string): void {
  for (const [name, value] of headerPairs(headers)) response.setHeader(name, value);
}

declare global {
  // Express names its extension point so.
  namespace Express {
    interface Response {
      /** Internal to Node: the serialised head; null until it is created. */
      _header?: string | null;
    }
  }
}

const SECOND_MS = 1_000;
let secondOfHeaders = 0;
let ownHeaders = '';

/**
 * `writeHead(200, headers)` for a keep-alive connection and trusted headers: Node would validate each name and value, which is a
 * twelfth of the cost of a small request. The output is identical to Node's.
 * @param headers serialised: `name: value` and CR LF each, in printable ASCII. Must include `content-length` unless `isStream`
 */
export function writeOwnHead(response: Response, headers: string, isStream = false): void {
  const isUsual = response.shouldKeepAlive && (!isStream || response.useChunkedEncodingByDefault);
  if (!isUsual || response.getHeaderNames().length > 0) {
    response.writeHead(200, headerPairs(headers).flat());
    return;
  }
  response.chunkedEncoding = isStream;
  const chunked = isStream ? 'Transfer-Encoding: chunked\r\n' : '';
  response._header = `HTTP/1.1 200 OK\r\n${headers}${connectionHeaders()}${chunked}\r\n`;
}

/** Name and value of each line of serialised headers. */
export function headerPairs(headers: string): (readonly [name: string, value: string])[] {
  const lines = headers.split('\r\n').slice(0, -1);
  return lines.map((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
}

/** Cached per second. */
function connectionHeaders(): string {
  const now = systemClock.now();
  const second = Math.floor(now / SECOND_MS);
  if (second !== secondOfHeaders) {
    secondOfHeaders = second;
    ownHeaders = `Date: ${new Date(now).toUTCString()}\r\nConnection: keep-alive\r\n`;
  }
  return ownHeaders;
}
