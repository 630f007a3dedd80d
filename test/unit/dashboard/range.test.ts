import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localDay } from '../../../src/calendar/period.ts';
import { bucketsOf, daysBefore } from '../../../src/dashboard/data/range.ts';
import { slotsOf } from '../../../src/services/usage/report/usage-slots.ts';

const DAY_MS = 86_400_000;
const zones = [
  'UTC',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/New_York',
  'Australia/Adelaide',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Africa/Cairo',
];
const moments = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2028, 0, 1) });

describe('a range of days', () => {
  it('begins at midnight in the account’s time zone, across clock changes', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), moments, fc.integer({ min: 0, max: 60 }), (zone, at, days) => {
        const from = daysBefore(days, at, zone);
        const [first, today] = [localDay(zone, from), localDay(zone, at)];
        expect((Date.parse(today) - Date.parse(first)) / DAY_MS).toBe(days);
        expect(localDay(zone, from - 1)).not.toBe(first);
      }),
    );
  });
});

describe('the buckets of a chart', () => {
  it.each([
    ['HOUR', 'hour', 3],
    ['DAY', 'day', 40],
  ] as const)('of each %s begin at the same times as the server’s', (interval, name, mostDays) => {
    const lengths = fc.integer({ min: 1, max: mostDays * DAY_MS });
    fc.assert(
      fc.property(fc.constantFrom(...zones), moments, lengths, (zone, from, length) => {
        const to = from + length;
        const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), interval };
        const slots = slotsOf(name, zone, from, to, 1_000) ?? [];
        expect(bucketsOf(range, zone)).toEqual(slots.map(({ start }) => new Date(start).toISOString()));
      }),
      { numRuns: 300 },
    );
  });

  it.each(zones)('of each hour begin at the same times as the server’s during clock changes at %s', (zone) => {
    for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += DAY_MS) {
      const [from, to] = [at + 1, at + DAY_MS];
      const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), interval: 'HOUR' } as const;
      const slots = slotsOf('hour', zone, from, to, 1_000) ?? [];
      expect(bucketsOf(range, zone)).toEqual(slots.map(({ start }) => new Date(start).toISOString()));
    }
  });
});
