import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calendarPeriod, isTimeZone, localDay, rollingPeriod } from '../../../src/calendar/period.ts';

const at = (iso: string): number => Date.parse(iso);
const told = ({ start, end }: { start: number; end: number }): string[] =>
  [start, end].map((moment) => new Date(moment).toISOString());
const HOUR_MS = 3_600_000;

describe('a calendar period', () => {
  it.each([
    ['DAY', 'UTC', '2026-11-21T17:00:00Z', '2026-11-21T00:00:00.000Z', '2026-11-22T00:00:00.000Z'],
    // New York is five hours behind in winter: it is still the 20th there.
    ['DAY', 'America/New_York', '2026-11-21T04:59:59Z', '2026-11-20T05:00:00.000Z', '2026-11-21T05:00:00.000Z'],
    // 2026-11-21 is a Saturday.
    ['WEEK', 'Europe/Berlin', '2026-11-21T12:00:00Z', '2026-11-15T23:00:00.000Z', '2026-11-22T23:00:00.000Z'],
    ['MONTH', 'Asia/Kathmandu', '2026-02-28T18:15:00Z', '2026-02-28T18:15:00.000Z', '2026-03-31T18:15:00.000Z'],
    ['MONTH', 'Asia/Kathmandu', '2026-02-28T18:14:59Z', '2026-01-31T18:15:00.000Z', '2026-02-28T18:15:00.000Z'],
    // A leap day.
    ['MONTH', 'UTC', '2028-02-29T23:59:59Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    // The year's end.
    ['MONTH', 'Pacific/Auckland', '2026-12-31T12:00:00Z', '2026-12-31T11:00:00.000Z', '2027-01-31T11:00:00.000Z'],
  ] as const)('of a %s in %s around %s', (period, zone, moment, start, end) => {
    expect(told(calendarPeriod(period, zone, at(moment)))).toEqual([start, end]);
  });

  it('is an hour shorter or longer when the clocks change', () => {
    const hours = (zone: string, moment: string): number => {
      const { start, end } = calendarPeriod('DAY', zone, at(moment));
      return (end - start) / HOUR_MS;
    };
    expect(hours('Europe/Berlin', '2026-03-29T12:00:00Z')).toBe(23);
    expect(hours('Europe/Berlin', '2026-10-25T12:00:00Z')).toBe(25);
    expect(hours('Australia/Lord_Howe', '2026-10-04T00:00:00Z')).toBe(23.5);
    // There is no midnight there: the day starts at one o'clock.
    expect(told(calendarPeriod('DAY', 'Asia/Beirut', at('2026-03-29T12:00:00Z')))[0]).toBe('2026-03-28T22:00:00.000Z');
    expect(hours('Asia/Beirut', '2026-03-29T12:00:00Z')).toBe(23);
  });

  it('is contiguous, contains its time, and is the same for each time in it', () => {
    const zones = fc.constantFrom('UTC', 'America/St_Johns', 'Africa/Casablanca', 'Asia/Tehran', 'Pacific/Apia');
    const moments = fc.integer({ min: at('2000-01-01T00:00:00Z'), max: at('2040-01-01T00:00:00Z') });
    fc.assert(
      fc.property(
        fc.constantFrom('DAY', 'WEEK', 'MONTH'),
        zones,
        moments,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (kind, zone, moment, part) => {
          const period = calendarPeriod(kind, zone, moment);
          expect(period.start).toBeLessThanOrEqual(moment);
          expect(period.end).toBeGreaterThan(moment);
          const within = Math.min(period.end - 1, Math.floor(period.start + part * (period.end - period.start)));
          expect(calendarPeriod(kind, zone, within)).toEqual(period);
          expect(calendarPeriod(kind, zone, period.end).start).toBe(period.end);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('of all time never ends', () => {
    expect(calendarPeriod('TOTAL', 'UTC', Date.now())).toEqual({ start: 0, end: Infinity });
  });

  it('uses UTC for an invalid time zone', () => {
    expect(isTimeZone('Mars/Olympus')).toBe(false);
    expect(isTimeZone('Europe/Berlin')).toBe(true);
    expect(calendarPeriod('DAY', 'Mars/Olympus', at('2026-11-21T17:00:00Z'))).toEqual(
      calendarPeriod('DAY', 'UTC', at('2026-11-21T17:00:00Z')),
    );
  });
});

describe('a period of days', () => {
  it('starts at its anchor, regardless of clock changes', () => {
    const anchor = at('2026-03-01T10:30:00Z');
    expect(told(rollingPeriod(30, anchor, at('2026-04-10T00:00:00Z')))).toEqual([
      '2026-03-31T10:30:00.000Z',
      '2026-04-30T10:30:00.000Z',
    ]);
    expect(rollingPeriod(30, anchor, anchor).start).toBe(anchor);
    expect(rollingPeriod(30, anchor, anchor - 1).end).toBe(anchor);
  });
});

it('returns the day of a time in the account’s time zone', () => {
  expect(localDay('Pacific/Kiritimati', at('2026-11-21T10:00:00Z'))).toBe('2026-11-22');
  expect(localDay('Pacific/Pago_Pago', at('2026-11-21T10:00:00Z'))).toBe('2026-11-20');
});
