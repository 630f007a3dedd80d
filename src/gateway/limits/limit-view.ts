import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import { periods, waitFor, type LimitName, type LimitState } from './limit-state.ts';
import type { LimitBound, RateLimitView } from './limit-store.ts';

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

/** A duration as OpenAI's rate-limit headers write it: `0s`, `120ms`, `1s`, `3.89s`, `6m0s`, `1h2m3s`. */
export function formatDuration(ms: number): string {
  if (ms <= 0) return '0s';
  if (ms < 1_000) return `${Math.ceil(ms)}ms`;
  const hundredths = Math.ceil(ms / 10);
  if (hundredths < 6_000) return `${hundredths / 100}s`;
  const seconds = Math.ceil(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m${seconds % 60}s` : `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds % 60}s`;
}

/** The wait for a concurrency slot is not known; one is likely to be free soon. */
const SLOT_WAIT_MS = 1_000;

/** The rejected request. */
export interface RefusedRequest {
  readonly key: KeyRecord;
  readonly model: string;
  readonly tokens: number;
}

/** @throws SluiceError tokens_above_limit, for a request that does not fit into a full bucket */
export function requireFit(bounds: readonly LimitBound[], { key, model, tokens }: RefusedRequest): void {
  for (const bound of bounds) {
    const limit = bound.limits.tokensPerMinute;
    if (tokens > limit)
      throw new SluiceError('tokens_above_limit', {
        ...hintOf(bound),
        values: { model, account: key.accountId, limit, requested: tokens },
      });
  }
}

/** The error of a request that a limit rejects. @param state refilled to now */
export function limitRefusal(
  name: LimitName,
  bound: LimitBound,
  state: Readonly<LimitState>,
  { key, model, tokens }: RefusedRequest,
): SluiceError {
  const { limits } = bound;
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
    ...hintOf(bound),
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

/** Names the owner of the limit: OpenAI's message always names the organization. */
function hintOf({ of, part }: LimitBound): { readonly hint: string } {
  if (of === 'key') return { hint: 'The limit applies to this API key and is set by the key or its plan.' };
  if (of === 'account') return { hint: 'The limit is shared by all keys of the account and set by its plan.' };
  return { hint: `The limit applies to this API key for the ${of} \`${part.slice(0, 256)}\`.` };
}
