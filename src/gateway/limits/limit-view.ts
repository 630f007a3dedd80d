import type { LimitBound } from './limit-bound.ts';
import { periods, waitFor, type LimitState } from './limit-state.ts';

/** The remaining limits, as sent in the `x-ratelimit-*` headers. */
export interface RateLimitView {
  readonly limitRequests: number;
  readonly remainingRequests: number;
  readonly resetRequestsMs: number;
  readonly limitTokens: number;
  readonly remainingTokens: number;
  readonly resetTokensMs: number;
}

interface Level {
  readonly left: number;
  readonly limit: number;
  readonly periodMs: number;
}

/**
 * The bound with the least remaining requests, and that with the least remaining tokens.
 * @param stateOf refilled to now
 */
export function viewOf(
  bounds: readonly LimitBound[],
  stateOf: (bound: LimitBound) => Readonly<LimitState>,
): RateLimitView {
  let requests: Level = unbounded;
  let tokens: Level = unbounded;
  for (const bound of bounds) {
    const { limits } = bound;
    const state = stateOf(bound);
    if (state.requests < requests.left)
      requests = { left: state.requests, limit: limits.requestsPerMinute, periodMs: periods.minute };
    if (state.dayRequests < requests.left)
      requests = { left: state.dayRequests, limit: limits.requestsPerDay, periodMs: periods.day };
    if (state.tokens < tokens.left)
      tokens = { left: state.tokens, limit: limits.tokensPerMinute, periodMs: periods.minute };
  }
  return {
    limitRequests: requests.limit,
    remainingRequests: Math.max(0, Math.floor(requests.left)),
    resetRequestsMs: waitFor(requests.left, requests.limit, requests.limit, requests.periodMs),
    limitTokens: tokens.limit,
    remainingTokens: Math.max(0, Math.floor(tokens.left)),
    resetTokensMs: waitFor(tokens.left, tokens.limit, tokens.limit, tokens.periodMs),
  };
}

/** Never returned: a key always has limits of its own. */
const unbounded: Level = { left: Infinity, limit: Infinity, periodMs: periods.minute };
