import { calendarPeriod } from './period.ts';

const MINUTE_MS = 60_000;

interface KnownDay {
  readonly start: number;
  readonly end: number;
  readonly told: UsageDay;
  readonly json: string;
}

/** In the names that usage records have for it: when the day began, RFC 3339 in UTC, and how long it is. */
interface UsageDay {
  readonly day_at: string;
  readonly day_minutes: number;
}

/** The last day that was asked for, by time zone: there are some hundred of them. */
const days = new Map<string, KnownDay>();

/** What a usage record says of its account's day; nothing where that is UTC's. `at` in milliseconds since the epoch. */
export function usageDay(timeZone: string | undefined, at: number): UsageDay | null {
  return isUtc(timeZone) ? null : dayOf(timeZone, at).told;
}

/** The same as JSON members that follow others. */
export function dayMembers(timeZone: string | undefined, at: number): string {
  return isUtc(timeZone) ? '' : dayOf(timeZone, at).json;
}

function isUtc(timeZone: string | undefined): timeZone is 'UTC' | undefined {
  return timeZone === undefined || timeZone === 'UTC';
}

function dayOf(timeZone: string, at: number): KnownDay {
  const known = days.get(timeZone);
  if (known !== undefined && at >= known.start && at < known.end) return known;
  const { start, end } = calendarPeriod('DAY', timeZone, at);
  const told = { day_at: new Date(start).toISOString(), day_minutes: (end - start) / MINUTE_MS };
  const day = { start, end, told, json: `,${JSON.stringify(told).slice(1, -1)}` };
  days.set(timeZone, day);
  return day;
}
