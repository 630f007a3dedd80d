import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../../../src/errors/index.ts';
import { isBudgetRefusal, waitBeforeRetry } from '../../../../src/gateway/batches/retry-policy.ts';

describe('a line that fails', () => {
  it('waits as long as the limit says, within a minute', () => {
    const refused = (retryAfterMs: number) => new SluiceError('rate_limit_requests', { retryAfterMs });
    expect([3_000, 0, 3_600_000].map((ms) => waitBeforeRetry(refused(ms), 50))).toEqual([3_000, 200, 60_000]);
  });

  it('waits longer each time where nothing says how long', () => {
    const waits = [1, 2, 3, 9].map((failures) => waitBeforeRetry(new SluiceError('shutting_down'), failures));
    expect(waits).toEqual([1_000, 2_000, 4_000, 60_000]);
  });

  it('runs again after five failures of its provider, and after any number of its rate limits', () => {
    const failed = new SluiceError('provider_unreachable', { values: { provider: 'openai' } });
    expect(waitBeforeRetry(failed, 5)).toBe(16_000);
    expect(waitBeforeRetry(failed, 6)).toBeNull();
    const limited = { status: 429, message: 'Slow down', type: 'requests', code: 'rate_limit_exceeded' };
    expect(waitBeforeRetry(new SluiceError('provider_error', { upstream: limited }), 100)).toBe(60_000);
  });

  it.each([
    new SluiceError('invalid_api_key', { values: { key: 'x' } }),
    new SluiceError('insufficient_quota'),
    new SluiceError('tokens_above_limit'),
    new SluiceError('provider_error', {
      upstream: { status: 429, message: 'Out', type: 'insufficient_quota', code: 'insufficient_quota' },
    }),
    new SluiceError('provider_error', { upstream: { status: 400, message: 'No', type: 'invalid', code: null } }),
  ])('has its final result with an error that does not pass', (error) => expect(waitBeforeRetry(error, 1)).toBeNull());

  it('waits for reservations only where its own budget has no room', () => {
    const upstream = { status: 429, message: 'Out', type: 'insufficient_quota', code: 'insufficient_quota' };
    expect(isBudgetRefusal(new SluiceError('insufficient_quota'))).toBe(true);
    expect(isBudgetRefusal(new SluiceError('insufficient_quota', { upstream }))).toBe(false);
  });
});
