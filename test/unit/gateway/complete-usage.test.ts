import { describe, expect, it } from 'vitest';
import type { ParsedResponse } from '../../../src/gateway/capabilities/capability.ts';
import { completeUsage } from '../../../src/gateway/request/settle.ts';
import { Metering } from '../../../src/gateway/usage/metering.ts';
import { tokenUsage } from '../../../src/catalogue/prices/priced-usage.ts';

describe('the usage of a complete response', () => {
  it('is what the provider reported, without parsing the output for an estimate', () => {
    const usage = tokenUsage(12, 34);
    const response: ParsedResponse = {
      usage,
      finishReason: 'stop',
      get estimatedOutputTokens(): number {
        throw new Error('the output was estimated');
      },
      updates: () => [],
    };
    const metering: Metering = Object.create(Metering.prototype);
    expect(completeUsage(metering, { type: 'answered', response } as never)).toBe(usage);
  });
});
