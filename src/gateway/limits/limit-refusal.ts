import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../key-directory.ts';
import { formatDuration } from './format-duration.ts';
import type { LimitBound } from './limit-bound.ts';
import { periods, waitFor, type LimitName, type LimitState } from './limit-state.ts';

/** A refused slot has no time of its own: one is likely free soon. */
const SLOT_WAIT_MS = 1_000;

/** What was asked for when a limit refused. */
export interface RefusedRequest {
  readonly key: KeyRecord;
  readonly model: string;
  readonly tokens: number;
}

/** @throws SluiceError tokens_above_limit, for what would not fit into a full bucket either */
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

/** What a caller is told whom a limit refuses. @param state brought up to now */
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

/** Whose limit it is: the words of OpenAI's own messages name the organization for every one. */
function hintOf({ of, part }: LimitBound): { readonly hint: string } {
  if (of === 'key') return { hint: 'This API key has the limit: it or its plan sets it.' };
  if (of === 'account') return { hint: 'All keys of the account share this limit: its plan sets it.' };
  return { hint: `This API key has it for the ${of} ${part.slice(0, 256)}.` };
}
