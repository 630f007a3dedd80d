import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../key-directory.ts';
import { formatDuration } from './format-duration.ts';
import {
  fullState,
  giveBack,
  periods,
  refill,
  take,
  waitFor,
  type KeyLimitState,
  type LimitName,
} from './key-state.ts';
import type { LimitStore, RateLimitView } from './limit-store.ts';

/** A refused slot has no time of its own: one is likely free soon. */
const SLOT_WAIT_MS = 1_000;
const SWEEP_EVERY = 10_000;

/** Limits of one process, in memory. `now` in milliseconds. */
export class MemoryLimitStore implements LimitStore {
  readonly #states = new Map<string, KeyLimitState>();
  readonly #now: () => number;
  #reservations = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  reserve(key: KeyRecord, model: string, tokens: number): void {
    const now = this.#now();
    if (tokens > key.limits.tokensPerMinute)
      throw new SluiceError('tokens_above_limit', {
        values: { model, account: key.accountId, limit: key.limits.tokensPerMinute, requested: tokens },
      });
    const state = this.#state(key, now);
    const refusedBy = take(state, key.limits, tokens, now);
    if (refusedBy !== null) throw refusal(refusedBy, key, state, model, tokens);
    if (++this.#reservations % SWEEP_EVERY === 0) this.#forgetIdle(now);
  }

  settle(key: KeyRecord, tokens: number, used: number): void {
    const now = this.#now();
    giveBack(this.#state(key, now), key.limits, tokens, used, now);
  }

  view(key: KeyRecord): RateLimitView {
    const now = this.#now();
    const { limits } = key;
    const state = this.#state(key, now);
    refill(state, limits, now);
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

  #state(key: KeyRecord, now: number): KeyLimitState {
    let state = this.#states.get(key.id);
    if (state === undefined) {
      state = fullState(key.limits, now);
      this.#states.set(key.id, state);
    }
    return state;
  }

  /** A key that has been idle for a day is full again: its state says nothing that a new one would not. */
  #forgetIdle(now: number): void {
    for (const [id, state] of this.#states)
      if (state.running === 0 && now - state.updatedAt > periods.day) this.#states.delete(id);
  }
}

function refusal(name: LimitName, key: KeyRecord, state: KeyLimitState, model: string, tokens: number): SluiceError {
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
