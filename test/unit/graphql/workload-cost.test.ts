import { describe, expect, it } from 'vitest';
import { usagePerRequest } from '../../../src/graphql/comparisons/workload-cost.ts';
import type { ComparisonWorkload } from '../../../src/graphql/comparisons/compare-models.types.ts';

const workload: ComparisonWorkload = {
  requests: 1,
  inputTokens: 10,
  outputTokens: 10,
  cachedTokens: 0,
  reasoningTokens: 0,
  images: 0,
  audioSeconds: 0,
  videoSeconds: 0,
  characters: 0,
};

describe('a workload', () => {
  it.each([
    [{ images: -1 }, 'images', 'images: must be from 0 to 2^31'],
    [{ inputTokens: Number.NaN }, 'inputTokens', 'inputTokens: must be from 0 to 2^31'],
    [{ cachedTokens: 11 }, 'cachedTokens', 'cachedTokens: must not exceed `inputTokens`'],
    [{ reasoningTokens: 11 }, 'reasoningTokens', 'reasoningTokens: must not exceed `outputTokens`'],
  ])('of %j is refused by name', (change, param, reason) => {
    const refusal = { code: 'bad_user_input', param, message: expect.stringContaining(reason) };
    expect(() => usagePerRequest({ ...workload, ...change })).toThrow(expect.objectContaining(refusal));
  });
});
