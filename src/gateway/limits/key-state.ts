import type { ResolvedKeyLimits } from '../key-directory.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** What one key has used: token buckets by their levels at `updatedAt` (ms), and requests under way. */
export interface KeyLimitState {
  requests: number;
  tokens: number;
  dayRequests: number;
  running: number;
  updatedAt: number;
}

/** Which bound refused a request. */
export type LimitName = 'requests' | 'dayRequests' | 'tokens' | 'concurrency';

export function fullState(limits: ResolvedKeyLimits, now: number): KeyLimitState {
  return {
    requests: limits.requestsPerMinute,
    tokens: limits.tokensPerMinute,
    dayRequests: limits.requestsPerDay,
    running: 0,
    updatedAt: now,
  };
}

/** Brings the levels up to `now`. A level never passes its limit, also when the limit was lowered; a clock that steps back adds nothing. */
export function refill(state: KeyLimitState, limits: ResolvedKeyLimits, now: number): void {
  const elapsed = Math.max(0, now - state.updatedAt);
  state.requests = Math.min(
    limits.requestsPerMinute,
    state.requests + (elapsed * limits.requestsPerMinute) / MINUTE_MS,
  );
  state.tokens = Math.min(limits.tokensPerMinute, state.tokens + (elapsed * limits.tokensPerMinute) / MINUTE_MS);
  state.dayRequests =
    limits.requestsPerDay === Infinity
      ? Infinity
      : Math.min(
          limits.requestsPerDay,
          finite(state.dayRequests, limits.requestsPerDay) + (elapsed * limits.requestsPerDay) / DAY_MS,
        );
  state.updatedAt = now;
}

/**
 * One atomic step: takes one request, `tokens` tokens and a slot, or nothing at all.
 * @returns null when admitted, else the bound that refused
 */
export function take(state: KeyLimitState, limits: ResolvedKeyLimits, tokens: number, now: number): LimitName | null {
  refill(state, limits, now);
  if (state.running >= limits.concurrency) return 'concurrency';
  if (state.requests < 1) return 'requests';
  if (state.dayRequests < 1) return 'dayRequests';
  if (state.tokens < tokens) return 'tokens';
  state.requests -= 1;
  state.dayRequests -= 1;
  state.tokens -= tokens;
  // A request within another that has its slot already.
  if (limits.concurrency !== Infinity) state.running += 1;
  return null;
}

/**
 * Ends a request: frees its slot and corrects the reserved tokens by what was used. An underestimate leaves a debt of at most
 * one full bucket, so that a single huge answer cannot close a key for longer than two minutes.
 */
export function giveBack(
  state: KeyLimitState,
  limits: ResolvedKeyLimits,
  reserved: number,
  used: number,
  now: number,
): void {
  refill(state, limits, now);
  if (limits.concurrency !== Infinity) state.running = Math.max(0, state.running - 1);
  state.tokens = Math.min(limits.tokensPerMinute, Math.max(-limits.tokensPerMinute, state.tokens + reserved - used));
}

/** Milliseconds until `amount` is there again. */
export function waitFor(level: number, amount: number, limit: number, periodMs: number): number {
  return level >= amount ? 0 : Math.ceil(((amount - level) * periodMs) / limit);
}

export const periods = { minute: MINUTE_MS, day: DAY_MS } as const;

function finite(level: number, otherwise: number): number {
  return Number.isFinite(level) ? level : otherwise;
}
