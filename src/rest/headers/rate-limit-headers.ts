import type { Response } from 'express';
import { formatDuration } from '../../gateway/limits/format-duration.ts';
import type { RateLimitView } from '../../gateway/limits/limit-view.ts';
import { headerPairs } from './own-head.ts';

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
  for (const [name, value] of headerPairs(rateLimitHeaders(view))) response.setHeader(name, value);
}
