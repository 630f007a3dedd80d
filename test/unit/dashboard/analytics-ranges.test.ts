import { describe, expect, it } from 'vitest';
import { customRange, rangeProblem } from '../../../src/dashboard/pages/analytics/range/custom-limits.ts';
import { previousOf } from '../../../src/dashboard/pages/analytics/range/zoned-time.ts';

describe('a custom range', () => {
  it('is divided into hours up to three days, otherwise into days', () => {
    const from = '2026-11-01T00:00:00.000Z';
    expect(customRange(from, '2026-11-04T00:00:00.000Z')?.interval).toBe('HOUR');
    expect(customRange(from, '2026-11-04T00:01:00.000Z')?.interval).toBe('DAY');
  });

  it.each([
    ['an early year', '0202-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z', /2020 and 2100/],
    ['a late year', '2026-11-01T00:00:00.000Z', '9026-11-01T00:00:00.000Z', /2020 and 2100/],
    ['no duration', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z', /after the start/],
    ['its end before its start', '2026-11-02T00:00:00.000Z', '2026-11-01T00:00:00.000Z', /after the start/],
    ['more than 3,000 intervals', '2026-01-01T00:00:00.000Z', '2036-01-01T00:00:00.000Z', /at most 2,998 days/],
    ['no times', '', '', /both times/],
  ])('with %s is refused with the reason', (_name, from, to, reason) => {
    expect(rangeProblem(from, to)).toMatch(reason);
    expect(customRange(from, to)).toBeNull();
  });

  it('is refused without its start or end', () => {
    expect(customRange(undefined, '2026-11-01T00:00:00.000Z')).toBeNull();
    expect(customRange('2026-11-01T00:00:00.000Z', undefined)).toBeNull();
  });

  it('is compared with no time that the server refuses', () => {
    const range = { from: '2020-01-02T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z', interval: 'DAY' } as const;
    expect(previousOf(range, 'UTC')).toMatchObject({
      from: '2020-01-01T00:00:00.000Z',
      to: '2020-01-02T00:00:00.000Z',
    });
    const early = { ...range, from: '2020-01-01T00:00:00.000Z', to: '2020-02-01T00:00:00.000Z' };
    expect(previousOf(early, 'UTC')).toMatchObject({
      from: '2020-01-01T00:00:00.000Z',
      to: '2020-01-01T00:00:00.001Z',
    });
  });
});
