import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import { formatDuration } from './format-duration.ts';
import type { LimitBound } from './limit-bound.ts';
import { periods, waitFor, type LimitName, type LimitState } from './limit-state.ts';

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
