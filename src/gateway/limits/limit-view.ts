import type { LimitBound } from './limit-bound.ts';
import { periods, waitFor, type LimitState } from './limit-state.ts';

/** What a caller has left, as the `x-ratelimit-*` headers tell it. */
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

/** Of all that bounds a request, what is used up first: of requests and of tokens apart. @param stateOf brought up to now */
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

/** A key has limits of its own always, so this is never told. */
const unbounded: Level = { left: Infinity, limit: Infinity, periodMs: periods.minute };
