import { expect, it } from 'vitest';
import { dayMembers, usageDay } from '../../../src/calendar/usage-day.ts';

it.each([
  ['America/New_York', '2026-10-31T03:59:59.999Z', '2026-10-30T04:00:00.000Z', 1_440],
  // Clocks go back.
  ['America/New_York', '2026-11-01T12:00:00Z', '2026-11-01T04:00:00.000Z', 1_500],
  ['America/New_York', '2026-11-02T05:00:00Z', '2026-11-02T05:00:00.000Z', 1_440],
  ['Australia/Lord_Howe', '2026-10-04T00:00:00Z', '2026-10-03T13:30:00.000Z', 1_410],
  ['Asia/Kathmandu', '2026-11-21T18:15:00Z', '2026-11-21T18:15:00.000Z', 1_440],
])('the day at %s of %s began at %s', (zone, at, day_at, day_minutes) => {
  const moment = Date.parse(at);
  expect(usageDay(zone, moment)).toEqual({ day_at, day_minutes });
  expect(dayMembers(zone, moment)).toBe(`,"day_at":"${day_at}","day_minutes":${day_minutes}`);
});

it('of UTC is omitted', () => {
  for (const zone of ['UTC', undefined]) {
    expect(usageDay(zone, Date.now())).toBeNull();
    expect(dayMembers(zone, Date.now())).toBe('');
  }
});
