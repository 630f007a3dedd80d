import type { RateLimits } from '../keys/key-directory.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The state of one set of limits: token bucket levels at `updatedAt` (ms), and open requests. */
export interface LimitState {
  requests: number;
  tokens: number;
  dayRequests: number;
  running: number;
  updatedAt: number;
}

/** The limit that rejected a request. */
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

/**
 * Refills the levels up to `now`. A level never exceeds its limit, also after the limit was lowered; a clock that steps
 * back adds nothing.
 */
export function refill(state: LimitState, limits: RateLimits, now: number): void {
  const elapsed = Math.max(0, now - state.updatedAt);
  state.requests = refilled(state.requests, limits.requestsPerMinute, elapsed, MINUTE_MS);
  state.tokens = refilled(state.tokens, limits.tokensPerMinute, elapsed, MINUTE_MS);
  state.dayRequests = refilled(state.dayRequests, limits.requestsPerDay, elapsed, DAY_MS);
  state.updatedAt = now;
}

/** The limit without room for a request of so many tokens; null if all have room. Requires a refilled state. */
export function exceededLimit(state: LimitState, limits: RateLimits, tokens: number): LimitName | null {
  if (state.running >= limits.concurrency) return 'concurrency';
  if (state.requests < 1) return 'requests';
  if (state.dayRequests < 1) return 'dayRequests';
  return state.tokens < tokens ? 'tokens' : null;
}

/** Consumes a request, its tokens and a slot. Requires a state without an exceeded limit. */
export function consume(state: LimitState, limits: RateLimits, tokens: number): void {
  state.requests -= 1;
  state.dayRequests -= 1;
  state.tokens -= tokens;
  // Without a limit running requests are not counted: an inner request uses the slot of the outer one.
  if (limits.concurrency !== Infinity) state.running += 1;
}

/**
 * Releases the slot of a request and corrects the reserved tokens by those used. An underestimate leaves a debt of at
 * most one full bucket, so that one huge response cannot block a key for longer than two minutes.
 */
export function release(state: LimitState, limits: RateLimits, reserved: number, used: number, now: number): void {
  refill(state, limits, now);
  if (limits.concurrency !== Infinity) state.running = Math.max(0, state.running - 1);
  state.tokens = Math.min(limits.tokensPerMinute, Math.max(-limits.tokensPerMinute, state.tokens + reserved - used));
}

/** Milliseconds until `amount` is available. */
export function waitFor(level: number, amount: number, limit: number, periodMs: number): number {
  return level >= amount ? 0 : Math.ceil(((amount - level) * periodMs) / limit);
}

export const periods = { minute: MINUTE_MS, day: DAY_MS } as const;

function refilled(level: number, limit: number, elapsedMs: number, periodMs: number): number {
  if (limit === Infinity) return Infinity;
  // A new limit starts with a full bucket.
  return level === Infinity ? limit : Math.min(limit, level + (elapsedMs * limit) / periodMs);
}
