import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketsOf, daysBefore } from '../../../src/dashboard/data/range.ts';
import { foreignZone, timeAxis, type ChartTime } from '../../../src/dashboard/data/time-axis.ts';
import { valueAxis, valueText, type Measure } from '../../../src/dashboard/design/value-axis.ts';

const measures: readonly Measure[] = ['USD', 'requests', 'tokens', 'errors', 'duration'];

function texts(max: number, measure: Measure): string[] {
  const { ticks, format } = valueAxis(max, measure);
  return ticks.map(format);
}

describe('the axis of values', () => {
  it.each([
    [3, 'requests', ['0', '1', '2', '3']],
    [1, 'requests', ['0', '1']],
    [0, 'requests', ['0', '1']],
    [130, 'requests', ['0', '50', '100', '150']],
    [48_000, 'tokens', ['0', '20K', '40K', '60K']],
    [4_700_000, 'tokens', ['0', '2M', '4M', '6M']],
    [0.000_031, 'USD', ['$0.00000', '$0.00001', '$0.00002', '$0.00003', '$0.00004']],
    [0.9, 'USD', ['$0.00', '$0.25', '$0.50', '$0.75', '$1.00']],
    [37, 'USD', ['$0', '$10', '$20', '$30', '$40']],
    [37_000, 'USD', ['$0', '$10K', '$20K', '$30K', '$40K']],
    [310, 'duration', ['0 ms', '100 ms', '200 ms', '300 ms', '400 ms']],
    [1_700, 'duration', ['0 s', '0.5 s', '1 s', '1.5 s', '2 s']],
    [47_000, 'duration', ['0 s', '15 s', '30 s', '45 s', '60 s']],
    [400_000, 'duration', ['0 min', '2 min', '4 min', '6 min', '8 min']],
  ] as const)('of up to %d %s is divided at round values', (max, measure, expected) => {
    expect(texts(max, measure)).toEqual(expected);
  });

  it('begins at zero, is even, contains the largest value and repeats no label', () => {
    const max = fc.double({ min: 1e-9, max: 1e12, noNaN: true });
    fc.assert(
      fc.property(max, fc.constantFrom(...measures), (largest, measure) => {
        const { ticks, format } = valueAxis(largest, measure);
        const step = ticks[1] ?? 0;
        expect(ticks[0]).toBe(0);
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(largest * (1 - 1e-6));
        expect(ticks.length).toBeLessThanOrEqual(5);
        for (const [index, tick] of ticks.entries()) expect(tick / step).toBeCloseTo(index, 6);
        expect(new Set(ticks.map(format)).size).toBe(ticks.length);
        if (measure !== 'USD' && measure !== 'duration') expect(ticks.every(Number.isInteger)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('names the unit of each value', () => {
    expect(measures.map((measure) => valueAxis(10, measure).unit)).toEqual([
      'USD',
      'requests',
      'tokens',
      'errors',
      'milliseconds',
    ]);
    expect(valueText(1, 'requests')).toBe('1 request');
    expect(valueText(12_345, 'tokens')).toBe('12,345 tokens');
    expect(valueText(0.5, 'USD')).toBe('$0.50');
    expect(valueText(1_200, 'duration')).toBe('1.20 s');
  });
});

function days(count: number, timeZone: string, now = Date.UTC(2026, 10, 25, 9)): ChartTime {
  const from = new Date(daysBefore(count - 1, now, timeZone)).toISOString();
  return {
    at: bucketsOf({ from, to: new Date(now).toISOString(), interval: 'DAY' }, timeZone),
    interval: 'DAY',
    timeZone,
  };
}

function hours(timeZone: string, now = Date.UTC(2026, 10, 25, 9, 20)): ChartTime {
  const range = {
    from: new Date(now - 86_400_000).toISOString(),
    to: new Date(now).toISOString(),
    interval: 'HOUR',
  } as const;
  return { at: bucketsOf(range, timeZone), interval: 'HOUR', timeZone };
}

function labels(time: ChartTime, max: number, viewerZone: string): string[] {
  const axis = timeAxis(time, viewerZone);
  return axis.ticks(max).map(axis.tickText);
}

describe('the axis of time', () => {
  it('has round hours in the viewer’s time zone, and the date at midnight', () => {
    expect(labels(hours('UTC'), 9, 'UTC')).toEqual([
      '09:00',
      '12:00',
      '15:00',
      '18:00',
      '21:00',
      '25 Nov',
      '03:00',
      '06:00',
      '09:00',
    ]);
    expect(labels(hours('UTC'), 4, 'America/New_York')).toEqual(['06:00', '12:00', '18:00', '25 Nov']);
    expect(labels(hours('UTC'), 4, 'Asia/Kolkata')).toEqual(['18:30', '00:30', '06:30', '12:30']);
  });

  it('has the account’s days, and names their zone where it is not the viewer’s', () => {
    const time = days(7, 'Asia/Tokyo');
    expect(labels(time, 10, 'UTC')).toEqual(['19 Nov', '20 Nov', '21 Nov', '22 Nov', '23 Nov', '24 Nov', '25 Nov']);
    expect(foreignZone(time, 'UTC')).toBe('Asia/Tokyo');
    expect(foreignZone(time, 'Asia/Tokyo')).toBeNull();
    expect(foreignZone(hours('Asia/Tokyo'), 'UTC')).toBeNull();
  });

  it('has Mondays or firsts of months where there are many days', () => {
    expect(labels(days(30, 'UTC'), 5, 'UTC')).toEqual(['2 Nov', '9 Nov', '16 Nov', '23 Nov']);
    expect(labels(days(365, 'UTC'), 4, 'UTC')).toEqual(['1 Jan', '1 Apr', '1 Jul', '1 Oct']);
  });

  it('is even at every width and length', () => {
    const zone = fc.constantFrom('UTC', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe');
    fc.assert(
      fc.property(zone, fc.integer({ min: 2, max: 45 }), fc.integer({ min: 3, max: 10 }), (timeZone, count, max) => {
        const time = days(count, timeZone);
        const places = timeAxis(time)
          .ticks(max)
          .map((at) => time.at.indexOf(at));
        const steps = new Set(places.slice(1).map((place, index) => place - (places[index] ?? 0)));
        expect(places.length).toBeGreaterThan(0);
        expect(places.length).toBeLessThanOrEqual(max);
        expect(steps.size).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('shows date and hour for a single point', () => {
    const axis = timeAxis(hours('UTC'), 'UTC');
    expect(axis.text('2026-11-25T03:00:00.000Z')).toBe('25 Nov, 03:00');
  });
});
