import type { RateLimits } from '../key-directory.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** What has been used of one set of limits: token buckets by their levels at `updatedAt` (ms), and requests under way. */
export interface LimitState {
  requests: number;
  tokens: number;
  dayRequests: number;
  running: number;
  updatedAt: number;
}

/** Which of the limits refused a request. */
export type LimitName = 'requests' | 'dayRequests' | 'tokens' | 'concurrency';

export function fullState(limits: RateLimits, now: number): LimitState {
  return {
    requests: limits.requestsPerMinute,
    tokens: limits.tokensPerMinute,
    dayRequests: limits.requestsPerDay,
    running: 0,
    updatedAt: now,
  };
}

/** Brings the levels up to `now`. A level never passes its limit, also when the limit was lowered; a clock that steps back adds nothing. */
export function refill(state: LimitState, limits: RateLimits, now: number): void {
  const elapsed = Math.max(0, now - state.updatedAt);
  state.requests = refilled(state.requests, limits.requestsPerMinute, elapsed, MINUTE_MS);
  state.tokens = refilled(state.tokens, limits.tokensPerMinute, elapsed, MINUTE_MS);
  state.dayRequests = refilled(state.dayRequests, limits.requestsPerDay, elapsed, DAY_MS);
  state.updatedAt = now;
}

/** The limit that has no room for a request of so many tokens; null where all have. Of a state that is brought up to now. */
export function exceededLimit(state: LimitState, limits: RateLimits, tokens: number): LimitName | null {
  if (state.running >= limits.concurrency) return 'concurrency';
  if (state.requests < 1) return 'requests';
  if (state.dayRequests < 1) return 'dayRequests';
  return state.tokens < tokens ? 'tokens' : null;
}

/** Takes a request, its tokens and a slot. Of a state that refuses none of it. */
export function consume(state: LimitState, limits: RateLimits, tokens: number): void {
  state.requests -= 1;
  state.dayRequests -= 1;
  state.tokens -= tokens;
  // Without a limit nothing says how many there are: a request within another has its slot already.
  if (limits.concurrency !== Infinity) state.running += 1;
}

/**
 * Ends a request: frees its slot and corrects the reserved tokens by what was used. An underestimate leaves a debt of at most
 * one full bucket, so that a single huge answer cannot close a key for longer than two minutes.
 */
export function release(state: LimitState, limits: RateLimits, reserved: number, used: number, now: number): void {
  refill(state, limits, now);
  if (limits.concurrency !== Infinity) state.running = Math.max(0, state.running - 1);
  state.tokens = Math.min(limits.tokensPerMinute, Math.max(-limits.tokensPerMinute, state.tokens + reserved - used));
}

/** Milliseconds until `amount` is there again. */
export function waitFor(level: number, amount: number, limit: number, periodMs: number): number {
  return level >= amount ? 0 : Math.ceil(((amount - level) * periodMs) / limit);
}

export const periods = { minute: MINUTE_MS, day: DAY_MS } as const;

function refilled(level: number, limit: number, elapsedMs: number, periodMs: number): number {
  if (limit === Infinity) return Infinity;
  // What had no limit is full when it gets one.
  return level === Infinity ? limit : Math.min(limit, level + (elapsedMs * limit) / periodMs);
}
