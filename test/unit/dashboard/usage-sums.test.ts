import { describe, expect, it } from 'vitest';
import { amountsOf, sumsOf } from '../../../src/dashboard/pages/usage-logs/usage-sums.ts';

type Group = Parameters<typeof sumsOf>[0][number];

function group(apiKey: Group['apiKey'], requests: number): Group {
  return {
    start: '2026-11-25T00:00:00.000Z',
    model: 'sandbox/chat',
    apiKey,
    usage: { requests, inputTokens: 1, outputTokens: 2, cost: { amount: '0.5' } },
  };
}

const groups = [
  group({ id: 'a', name: 'Production', hint: 'sk-sluice-aaaa…1111' }, 3),
  group({ id: 'b', name: 'Production', hint: 'sk-sluice-bbbb…2222' }, 2),
  group({ id: 'c', name: 'Staging', hint: 'sk-sluice-cccc…3333' }, 1),
  group({ id: 'a', name: 'Production', hint: 'sk-sluice-aaaa…1111' }, 4),
  group(null, 1),
];

describe('usage by key', () => {
  it('distinguishes keys with the same name', () => {
    expect(sumsOf(groups, 'key', 'requests').map(({ name, requests }) => [name, requests])).toEqual([
      ['Production (sk-sluice-aaaa…1111)', 7],
      ['Production (sk-sluice-bbbb…2222)', 2],
      ['Staging', 1],
      ['Dashboard', 1],
    ]);
    expect(amountsOf(groups, 'key', 'requests').map(({ name }) => name)).toEqual([
      'Production (sk-sluice-aaaa…1111)',
      'Production (sk-sluice-bbbb…2222)',
      'Staging',
      'Production (sk-sluice-aaaa…1111)',
      'Dashboard',
    ]);
  });
});

describe('usage by model', () => {
  it('sums the usage of all keys', () => {
    expect(sumsOf(groups, 'model', 'cost')).toEqual([{ name: 'sandbox/chat', requests: 11, tokens: 15, cost: 2.5 }]);
  });
});
