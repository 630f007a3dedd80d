import type { RateLimits } from '../../keys/key-directory.ts';
import type { LimitState } from '../limit-state.ts';

/** Of some bounds. */
export interface LentAmounts {
  readonly requests: number;
  readonly tokens: number;
  readonly slots: number;
}

/** Consumes what is lent. Of infinite levels nothing is: infinity less itself is no number. Requires a refilled state. */
export function lend(state: LimitState, limits: RateLimits, { requests, tokens, slots }: LentAmounts): void {
  state.requests -= requests;
  state.dayRequests -= requests;
  if (limits.tokensPerMinute !== Infinity) state.tokens -= tokens;
  if (limits.concurrency !== Infinity) state.running += slots;
}

/** Adds what is returned. As in `release`, a debt of tokens is at most one full bucket. Requires a refilled state. */
export function takeBack(state: LimitState, limits: RateLimits, { requests, tokens, slots }: LentAmounts): void {
  const { requestsPerMinute, requestsPerDay, tokensPerMinute, concurrency } = limits;
  state.requests = Math.min(requestsPerMinute, state.requests + requests);
  state.dayRequests = Math.min(requestsPerDay, state.dayRequests + requests);
  if (tokensPerMinute !== Infinity)
    state.tokens = Math.min(tokensPerMinute, Math.max(-tokensPerMinute, state.tokens + tokens));
  if (concurrency !== Infinity) state.running = Math.max(0, state.running - slots);
}

/** Lowers the levels, so that they and what is lent together never exceed the limits. Requires a refilled state. */
export function capLevels(state: LimitState, limits: RateLimits, lent: Iterable<Omit<LentAmounts, 'slots'>>): void {
  let requests = 0;
  let tokens = 0;
  for (const each of lent) {
    requests += each.requests;
    tokens += each.tokens;
  }
  state.requests = Math.min(state.requests, limits.requestsPerMinute - requests);
  state.dayRequests = Math.min(state.dayRequests, limits.requestsPerDay - requests);
  if (limits.tokensPerMinute !== Infinity) state.tokens = Math.min(state.tokens, limits.tokensPerMinute - tokens);
}
