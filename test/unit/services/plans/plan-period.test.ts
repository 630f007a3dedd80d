import { assert, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accountPeriod, fullPeriod, type PeriodAnchor } from '../../../../src/services/plans/plan-period.ts';

const DAY_MS = 86_400_000;
const at = (iso: string): number => Date.parse(iso);
const told = ({ start, end }: { start: number; end: number }): string[] =>
  [start, end].map((moment) => new Date(moment).toISOString());
const rolling = { period: '30_days' } as const;
const monthly = { period: 'month' } as const;

describe('the period of a plan', () => {
  it('of 30 days repeats to the millisecond, across clock changes and a leap day', () => {
    // Berlin's clocks go forward on 2028-03-26; 2028 has a leap day.
    const anchor: PeriodAnchor = { timeZone: 'Europe/Berlin', since: at('2028-02-10T08:30:00.123Z') };
    const first = ['2028-02-10T08:30:00.123Z', '2028-03-11T08:30:00.123Z'];
    const second = ['2028-03-11T08:30:00.123Z', '2028-04-10T08:30:00.123Z'];
    expect(told(accountPeriod(rolling, anchor, anchor.since))).toEqual(first);
    expect(told(accountPeriod(rolling, anchor, at('2028-02-29T12:00:00Z')))).toEqual(first);
    expect(told(accountPeriod(rolling, anchor, at('2028-03-11T08:30:00.122Z')))).toEqual(first);
    expect(told(accountPeriod(rolling, anchor, at('2028-03-11T08:30:00.123Z')))).toEqual(second);
    expect(told(accountPeriod(rolling, anchor, anchor.since + 120 * DAY_MS - 1))).toEqual([
      '2028-05-10T08:30:00.123Z',
      '2028-06-09T08:30:00.123Z',
    ]);
  });

  it.each([
    // Midnight of the first in New York, before and after its clocks go back on 2026-11-01.
    ['America/New_York', '2026-11-15T00:00:00Z', '2026-11-01T04:00:00.000Z', '2026-12-01T05:00:00.000Z'],
    ['Europe/Berlin', '2026-03-15T00:00:00Z', '2026-02-28T23:00:00.000Z', '2026-03-31T22:00:00.000Z'],
    ['Asia/Kathmandu', '2028-02-29T12:00:00Z', '2028-01-31T18:15:00.000Z', '2028-02-29T18:15:00.000Z'],
    ['UTC', '2028-02-29T23:59:59.999Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    ['Pacific/Auckland', '2026-12-31T11:00:00Z', '2026-12-31T11:00:00.000Z', '2027-01-31T11:00:00.000Z'],
  ])('of a month follows the calendar in %s at %s', (timeZone, moment, start, end) => {
    expect(told(accountPeriod(monthly, { timeZone, since: 0 }, at(moment)))).toEqual([start, end]);
  });

  it('of a month does not start before the account, but its fee is prorated over the full month', () => {
    const anchor = { timeZone: 'UTC', since: at('2026-11-20T10:00:00Z') };
    const moment = at('2026-11-25T00:00:00Z');
    expect(told(accountPeriod(monthly, anchor, moment))).toEqual([
      '2026-11-20T10:00:00.000Z',
      '2026-12-01T00:00:00.000Z',
    ]);
    expect(told(fullPeriod(monthly, anchor, moment))).toEqual(['2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z']);
    expect(told(accountPeriod(monthly, anchor, at('2026-12-01T00:00:00Z')))[0]).toBe('2026-12-01T00:00:00.000Z');
  });

  it('is contiguous with the next one and contains its time', () => {
    const zones = constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia');
    const moments = integer({ min: at('2020-01-01T00:00:00Z'), max: at('2040-01-01T00:00:00Z') });
    assert(
      property(constantFrom(rolling, monthly), zones, moments, moments, (plan, timeZone, one, other) => {
        const [since, moment] = [Math.min(one, other), Math.max(one, other)];
        const period = accountPeriod(plan, { timeZone, since }, moment);
        expect(period.start <= moment && moment < period.end).toBe(true);
        expect(accountPeriod(plan, { timeZone, since }, period.end).start).toBe(period.end);
        expect(accountPeriod(plan, { timeZone, since }, period.end - 1)).toEqual(period);
      }),
    );
  });
});
