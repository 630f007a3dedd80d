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
    [{ images: -1 }, 'images', 'images: must not be negative'],
    [{ inputTokens: Number.NaN }, 'inputTokens', 'inputTokens: must not be negative'],
    [{ cachedTokens: 11 }, 'cachedTokens', 'cachedTokens: they are part of the input'],
    [{ reasoningTokens: 11 }, 'reasoningTokens', 'reasoningTokens: they are part of the output'],
  ])('of %j is refused by name', (change, param, reason) => {
    const refusal = { code: 'bad_user_input', param, message: expect.stringContaining(reason) };
    expect(() => usagePerRequest({ ...workload, ...change })).toThrow(expect.objectContaining(refusal));
  });
});
