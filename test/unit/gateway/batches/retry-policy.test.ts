import { describe, expect, it } from 'vitest';
import { resourcesExhausted, SluiceError } from '../../../../src/errors/index.ts';
import { isBudgetRefusal, waitBeforeRetry, type FailedRun } from '../../../../src/gateway/batches/retry-policy.ts';

const waitAfter = (error: SluiceError, run: Partial<FailedRun> = {}): number | null =>
  waitBeforeRetry({ error, wasSent: true, waits: 0, failures: 0, ...run });

describe('a line that fails', () => {
  it('waits as long as the limit says, within a minute', () => {
    const refused = (retryAfterMs: number) => new SluiceError('rate_limit_requests', { retryAfterMs });
    expect([3_000, 0, 3_600_000].map((ms) => waitAfter(refused(ms), { waits: 50, failures: 50 }))).toEqual([
      3_000, 200, 60_000,
    ]);
  });

  it('waits longer each time where nothing says how long', () => {
    const waits = [0, 1, 2, 8].map((before) => waitAfter(new SluiceError('shutting_down'), { waits: before }));
    expect(waits).toEqual([1_000, 2_000, 4_000, 60_000]);
  });

  it('runs again after five failures of its provider, and after any number of its rate limits', () => {
    const failed = new SluiceError('provider_unreachable', { values: { provider: 'openai' } });
    expect(waitAfter(failed, { failures: 5 })).toBe(16_000);
    expect(waitAfter(failed, { failures: 6 })).toBeNull();
    const limited = { status: 429, message: 'Slow down', type: 'requests', code: 'rate_limit_exceeded' };
    expect(waitAfter(new SluiceError('provider_error', { upstream: limited }), { waits: 100, failures: 6 })).toBe(
      60_000,
    );
  });

  it('waits for moderation, unless a provider is paid for each answer that is not moderated', () => {
    const unmoderated = new SluiceError('moderation_unavailable', { values: { model: 'm' }, retryAfterMs: 1_000 });
    expect(waitAfter(unmoderated, { wasSent: false, waits: 100 })).toBe(1_000);
    expect(waitAfter(unmoderated, { failures: 5 })).toBe(1_000);
    expect(waitAfter(unmoderated, { failures: 6 })).toBeNull();
  });

  it('waits until this server has descriptors, however often', () => {
    const exhausted = resourcesExhausted('file descriptors');
    expect(waitAfter(exhausted, { wasSent: false, waits: 100, failures: 6 })).toBe(2_000);
  });

  it.each([
    new SluiceError('invalid_api_key', { values: { key: 'x' } }),
    new SluiceError('insufficient_quota'),
    new SluiceError('tokens_above_limit'),
    new SluiceError('provider_error', {
      upstream: { status: 429, message: 'Out', type: 'insufficient_quota', code: 'insufficient_quota' },
    }),
    new SluiceError('provider_error', { upstream: { status: 400, message: 'No', type: 'invalid', code: null } }),
  ])('has its final result with an error that does not pass', (error) =>
    expect(waitAfter(error, { failures: 1 })).toBeNull(),
  );

  it('waits for reservations only where its own budget has no room', () => {
    const upstream = { status: 429, message: 'Out', type: 'insufficient_quota', code: 'insufficient_quota' };
    expect(isBudgetRefusal(new SluiceError('insufficient_quota'))).toBe(true);
    expect(isBudgetRefusal(new SluiceError('insufficient_quota', { upstream }))).toBe(false);
  });
});
