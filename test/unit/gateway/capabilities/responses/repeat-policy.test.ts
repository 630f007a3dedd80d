import { describe, expect, it } from 'vitest';
import { resourcesExhausted, SluiceError } from '../../../../../src/errors/index.ts';
import { delayBeforeRepeat } from '../../../../../src/gateway/capabilities/responses/background/repeat-policy.ts';

describe('a background response that is repeated after a restart', () => {
  it.each([
    [new SluiceError('rate_limit_requests', { retryAfterMs: 3_000 }), 3_000],
    [new SluiceError('limits_unavailable'), 5_000],
    [resourcesExhausted('file descriptors'), 2_000],
  ])('waits where it was admitted before and is refused for now: %s', (error, delayMs) => {
    expect(delayBeforeRepeat(error, true)).toEqual({ delayMs, isCounted: false });
    expect(delayBeforeRepeat(error, false)).toBeNull();
  });

  it('ends with any other error', () => {
    expect(delayBeforeRepeat(new SluiceError('insufficient_quota'), true)).toBeNull();
  });
});
