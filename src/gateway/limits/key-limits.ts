import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord, ResolvedKeyLimits } from '../key-directory.ts';
import { formatDuration } from './format-duration.ts';
import { periods, waitFor, type KeyLimitState, type LimitName } from './key-state.ts';
import type { RateLimitView } from './limit-store.ts';

/** A refused slot has no time of its own: one is likely free soon. */
const SLOT_WAIT_MS = 1_000;

/** What the headers tell of a state that is brought up to now. */
export function viewOf(state: KeyLimitState, limits: ResolvedKeyLimits): RateLimitView {
  const byDay = state.dayRequests < state.requests;
  const limitRequests = byDay ? limits.requestsPerDay : limits.requestsPerMinute;
  const requests = byDay ? state.dayRequests : state.requests;
  return {
    limitRequests,
    remainingRequests: Math.max(0, Math.floor(requests)),
    resetRequestsMs: waitFor(requests, limitRequests, limitRequests, byDay ? periods.day : periods.minute),
    limitTokens: limits.tokensPerMinute,
    remainingTokens: Math.max(0, Math.floor(state.tokens)),
    resetTokensMs: waitFor(state.tokens, limits.tokensPerMinute, limits.tokensPerMinute, periods.minute),
  };
}

/** @throws SluiceError tokens_above_limit, for what would not fit into a full bucket either */
export function requireFit(key: KeyRecord, model: string, tokens: number): void {
  const limit = key.limits.tokensPerMinute;
  if (tokens > limit)
    throw new SluiceError('tokens_above_limit', {
      values: { model, account: key.accountId, limit, requested: tokens },
    });
}

/** What a caller is told whom a limit refuses. */
export function limitRefusal(
  name: LimitName,
  key: KeyRecord,
  state: KeyLimitState,
  model: string,
  tokens: number,
): SluiceError {
  const { limits } = key;
  const [code, limit, level, waitMs] = {
    concurrency: () =>
      ['rate_limit_concurrency', limits.concurrency, limits.concurrency - state.running, SLOT_WAIT_MS] as const,
    requests: () =>
      [
        'rate_limit_requests',
        limits.requestsPerMinute,
        state.requests,
        waitFor(state.requests, 1, limits.requestsPerMinute, periods.minute),
      ] as const,
    dayRequests: () =>
      [
        'rate_limit_requests',
        limits.requestsPerDay,
        state.dayRequests,
        waitFor(state.dayRequests, 1, limits.requestsPerDay, periods.day),
      ] as const,
    tokens: () =>
      [
        'rate_limit_tokens',
        limits.tokensPerMinute,
        state.tokens,
        waitFor(state.tokens, tokens, limits.tokensPerMinute, periods.minute),
      ] as const,
  }[name]();
  return new SluiceError(code, {
    retryAfterMs: waitMs,
    values: {
      model,
      account: key.accountId,
      limit,
      used: Math.ceil(limit - level),
      requested: tokens,
      wait: formatDuration(waitMs),
      period: name === 'dayRequests' ? 'day (RPD)' : 'min (RPM)',
    },
  });
}
