import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../../src/errors/index.ts';
import type { KeyRecord, ResolvedKeyLimits } from '../../../src/gateway/key-directory.ts';
import { formatDuration } from '../../../src/gateway/limits/format-duration.ts';
import { MemoryLimitStore } from '../../../src/gateway/limits/memory-limit-store.ts';
import { key as anyKey } from '../../harness/gateway.ts';

function keyWith(limits: Partial<ResolvedKeyLimits>): KeyRecord {
  return {
    ...anyKey,
    limits: {
      requestsPerMinute: 1_000,
      tokensPerMinute: 1_000_000,
      requestsPerDay: Infinity,
      concurrency: 1_000,
      ...limits,
    },
  };
}

function reserve(store: MemoryLimitStore, key: KeyRecord, tokens: number): SluiceError | null {
  try {
    store.reserve(key, 'openai/x', tokens);
    return null;
  } catch (error) {
    if (error instanceof SluiceError) return error;
    throw error;
  }
}

describe('limits', () => {
  it('never admit more than a full bucket and its refill, whatever comes when', () => {
    const steps = fc.array(
      fc.record({ wait: fc.integer({ min: 0, max: 5_000 }), tokens: fc.integer({ min: 1, max: 300 }) }),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(steps, (arrivals) => {
        let now = 1_000_000;
        const start = now;
        const key = keyWith({ requestsPerMinute: 60, tokensPerMinute: 1_000 });
        const store = new MemoryLimitStore(() => now);
        let requests = 0;
        let tokens = 0;
        for (const arrival of arrivals) {
          now += arrival.wait;
          if (reserve(store, key, arrival.tokens) === null) {
            requests++;
            tokens += arrival.tokens;
          }
          const minutes = (now - start) / 60_000;
          expect(requests).toBeLessThanOrEqual(60 + 60 * minutes + 1e-6);
          expect(tokens).toBeLessThanOrEqual(1_000 + 1_000 * minutes + 1e-6);
          const view = store.view(key);
          expect(view.remainingRequests).toBeGreaterThanOrEqual(0);
          expect(view.remainingTokens).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  it('admit again exactly when the refusal said', () => {
    let now = 0;
    const key = keyWith({ requestsPerMinute: 3 });
    const store = new MemoryLimitStore(() => now);
    for (let request = 0; request < 3; request++) expect(reserve(store, key, 1)).toBeNull();
    const refused = reserve(store, key, 1);
    expect(refused).toMatchObject({ code: 'rate_limit_requests', retryAfterMs: 20_000 });
    now += (refused?.retryAfterMs ?? 0) - 1;
    expect(reserve(store, key, 1)).not.toBeNull();
    now += 1;
    expect(reserve(store, key, 1)).toBeNull();
  });

  it('take nothing when one of them refuses', () => {
    const key = keyWith({ requestsPerMinute: 10, tokensPerMinute: 100 });
    const store = new MemoryLimitStore(() => 0);
    reserve(store, key, 90);
    const before = store.view(key);
    expect(reserve(store, key, 20)).toMatchObject({ code: 'rate_limit_tokens' });
    expect(store.view(key)).toEqual(before);
  });

  it('give back what an answer did not use, and take what it used too much', () => {
    const key = keyWith({ tokensPerMinute: 1_000 });
    const store = new MemoryLimitStore(() => 0);
    reserve(store, key, 600);
    store.settle(key, 600, 100);
    expect(store.view(key).remainingTokens).toBe(900);
    reserve(store, key, 100);
    store.settle(key, 100, 5_000);
    expect(store.view(key).remainingTokens).toBe(0);
    expect(reserve(store, key, 1)).toMatchObject({ code: 'rate_limit_tokens', retryAfterMs: 60_060 });
  });

  it('refuse for good what could never fit', () => {
    expect(reserve(new MemoryLimitStore(), keyWith({ tokensPerMinute: 100 }), 101)).toMatchObject({
      code: 'tokens_above_limit',
      retryAfterMs: undefined,
    });
  });

  it('count a day’s requests too', () => {
    let now = 0;
    const key = keyWith({ requestsPerDay: 2 });
    const store = new MemoryLimitStore(() => now);
    expect([reserve(store, key, 1), reserve(store, key, 1)]).toEqual([null, null]);
    expect(reserve(store, key, 1)?.message).toContain('requests per day (RPD): Limit 2, Used 2');
    expect(store.view(key)).toMatchObject({ limitRequests: 2, remainingRequests: 0 });
    now += 12 * 3_600_000;
    expect(reserve(store, key, 1)).toBeNull();
  });

  it('survive a clock that steps back', () => {
    let now = 1_000_000;
    const key = keyWith({ requestsPerMinute: 1 });
    const store = new MemoryLimitStore(() => now);
    reserve(store, key, 1);
    now -= 500_000;
    expect(reserve(store, key, 1)).not.toBeNull();
  });
});

describe('durations', () => {
  it.each([
    [0, '0s'],
    [119.2, '120ms'],
    [1_000, '1s'],
    [3_890, '3.89s'],
    [360_000, '6m0s'],
    [3_723_000, '1h2m3s'],
  ])('%d ms is %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
});
