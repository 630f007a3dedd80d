import { calendarPeriod, type Period } from '../../../calendar/period.ts';
import { quarterAfter } from '../spans.ts';

export const usageIntervals = ['hour', 'day', 'week', 'month'] as const;
export type UsageInterval = (typeof usageIntervals)[number];

/** An hour, day, week or month of a report; in milliseconds since the epoch. */
export interface Slot {
  /** Its start by the calendar, possibly before the report's. */
  readonly start: number;
  /** The part within the report: up to, not including, `to`. */
  readonly from: number;
  readonly to: number;
}

const HOUR_MS = 3_600_000;
const periods = { day: 'DAY', week: 'WEEK', month: 'MONTH' } as const;

/**
 * The intervals of a range by an account's calendar. Hours are counted from the start of the day: if clocks change by half an
 * hour, the last one is shorter.
 * @returns null if there are more than `most`
 */
export function slotsOf(
  interval: UsageInterval,
  timeZone: string,
  from: number,
  to: number,
  most: number,
): Slot[] | null {
  const slots: Slot[] = [];
  let day: Period | null = null;
  for (let at = from; at < to;) {
    if (slots.length === most) return null;
    if (interval === 'hour' && (day === null || at >= day.end)) day = calendarPeriod('DAY', timeZone, at);
    const { start, end } =
      interval === 'hour' ? hourOf(day ?? { start: at, end: to }, at) : calendarPeriod(periods[interval], timeZone, at);
    const next = Math.min(quarterAfter(end), to);
    slots.push({ start, from: at, to: next });
    at = next;
  }
  return slots;
}

function hourOf(day: Period, at: number): Period {
  const start = day.start + Math.floor((at - day.start) / HOUR_MS) * HOUR_MS;
  return { start, end: Math.min(start + HOUR_MS, day.end) };
}
