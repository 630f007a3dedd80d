import type { Response } from 'express';
import { formatDuration } from '../gateway/limits/format-duration.ts';
import type { RateLimitView } from '../gateway/limits/limit-store.ts';

/** Names and values in turn. */
export function rateLimitHeaders(view: RateLimitView): string[] {
  return [
    'x-ratelimit-limit-requests',
    String(view.limitRequests),
    'x-ratelimit-remaining-requests',
    String(view.remainingRequests),
    'x-ratelimit-reset-requests',
    formatDuration(view.resetRequestsMs),
    'x-ratelimit-limit-tokens',
    String(view.limitTokens),
    'x-ratelimit-remaining-tokens',
    String(view.remainingTokens),
    'x-ratelimit-reset-tokens',
    formatDuration(view.resetTokensMs),
  ];
}

export function setRateLimitHeaders(response: Response, view: RateLimitView): void {
  const headers = rateLimitHeaders(view);
  for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at] ?? '', headers[at + 1] ?? '');
}
