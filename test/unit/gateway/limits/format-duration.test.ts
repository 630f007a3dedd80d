import { describe, expect, it } from 'vitest';
import { formatDuration } from '../../../../src/gateway/limits/limit-view.ts';

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
