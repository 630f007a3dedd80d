import { describe, expect, it } from 'vitest';
import { inputPrice, outputPrice, unitPrice } from '../../../src/dashboard/pages/models/prices.ts';

const none = { cachedInput: null, request: null, units: [] };

describe('prices of a model', () => {
  it('are shown per million or per thousand tokens', () => {
    const pricing = { ...none, input: '2.5', output: '0.6', version: 'v' };
    expect([inputPrice(pricing, '1M'), outputPrice(pricing, '1M')]).toEqual(['$2.50', '$0.60']);
    expect([inputPrice(pricing, '1K'), outputPrice(pricing, '1K')]).toEqual(['$0.0025', '$0.0006']);
  });

  it('of audio and video are shown per second', () => {
    expect(unitPrice({ unit: 'audio_second', per: 60, price: '0.006' })).toBe('$0.0001 / audio second');
    expect(unitPrice({ unit: 'video_second', per: 1, price: '0.4' })).toBe('$0.40 / video second');
    expect(unitPrice({ unit: 'character', per: 1_000_000, price: '15' })).toBe('$15.00 / 1,000,000 characters');
  });
});
