import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localDay } from '../../src/calendar/period.ts';
import { daysBefore } from '../../src/dashboard/data/range.ts';

const DAY_MS = 86_400_000;
const zones = ['UTC', 'Asia/Kathmandu', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago'];

describe('a range of days', () => {
  it('begins at the account’s own midnight, that many days before today, whatever the clocks did meanwhile', () => {
    const moments = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2028, 0, 1) });
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
