import { DateTime } from 'luxon';

/** How long money is counted before it begins at nothing again. */
export const budgetPeriods = ['DAY', 'WEEK', 'MONTH', 'TOTAL'] as const;
export type BudgetPeriod = (typeof budgetPeriods)[number];

/** From its start up to, not including, its end; in milliseconds since the epoch. `end` is `Infinity` where it has none. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

const DAY_MS = 86_400_000;
const units = { DAY: 'day', WEEK: 'week', MONTH: 'month' } as const;
const allTime: Period = { start: 0, end: Infinity };

/**
 * The calendar's day, week (from Monday) or month around a moment, as clocks at `timeZone` show it: a day in which they change
 * has 23 hours, or 25. `timeZone` is an IANA name; one that is none counts as UTC.
 */
export function calendarPeriod(period: BudgetPeriod, timeZone: string, at: number): Period {
  if (period === 'TOTAL') return allTime;
  const unit = units[period];
  const start = localTime(timeZone, at).startOf(unit);
  // A day may begin at one o'clock, and the next one at midnight all the same.
  return {
    start: start.toMillis(),
    end: start
      .plus({ [unit]: 1 })
      .startOf(unit)
      .toMillis(),
  };
}

/** The stretch of `days` times 24 hours around a moment, counted from `anchor`: no clock's change moves it. */
export function rollingPeriod(days: number, anchor: number, at: number): Period {
  const length = days * DAY_MS;
  const start = anchor + Math.floor((at - anchor) / length) * length;
  return { start, end: start + length };
}

/** The day of a moment at a time zone, as `2026-11-21`. */
export function localDay(timeZone: string, at: number): string {
  return localTime(timeZone, at).toISODate();
}

export function isTimeZone(name: string): boolean {
  return DateTime.local({ zone: name }).isValid;
}

function localTime(timeZone: string, at: number): DateTime<true> {
  const local = DateTime.fromMillis(at, { zone: timeZone });
  if (local.isValid) return local;
  const utc = DateTime.fromMillis(at, { zone: 'utc' });
  if (utc.isValid) return utc;
  throw new RangeError(`no moment: ${at}`);
}
