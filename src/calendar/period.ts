import { DateTime } from 'luxon';

/** How often a budget resets. */
export const budgetPeriods = ['DAY', 'WEEK', 'MONTH', 'TOTAL'] as const;
export type BudgetPeriod = (typeof budgetPeriods)[number];

/** From its start up to, not including, its end; in milliseconds since the epoch. `end` is `Infinity` for an open period. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

const DAY_MS = 86_400_000;
const units = { DAY: 'day', WEEK: 'week', MONTH: 'month' } as const;
const allTime: Period = { start: 0, end: Infinity };

/**
 * The calendar day, week (from Monday) or month that contains a time in `timeZone`: a day with a clock change has 23 or 25
 * hours. `timeZone` is an IANA name; an invalid one counts as UTC.
 */
export function calendarPeriod(period: BudgetPeriod, timeZone: string, at: number): Period {
  if (period === 'TOTAL') return allTime;
  const unit = units[period];
  const start = localTime(timeZone, at).startOf(unit);
  // A day may start at one o'clock although the next one starts at midnight.
  return {
    start: start.toMillis(),
    end: start
      .plus({ [unit]: 1 })
      .startOf(unit)
      .toMillis(),
  };
}

/** The period of `days` times 24 hours that contains a time, counted from `anchor`: not affected by clock changes. */
export function rollingPeriod(days: number, anchor: number, at: number): Period {
  const length = days * DAY_MS;
  const start = anchor + Math.floor((at - anchor) / length) * length;
  return { start, end: start + length };
}

/** The calendar day of a time in a time zone, as `2026-11-21`. */
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
  throw new RangeError(`invalid time: ${at}`);
}
