import { calendarPeriod } from './period.ts';

const MINUTE_MS = 60_000;

interface KnownDay {
  readonly start: number;
  readonly end: number;
  readonly fields: UsageDay;
  readonly json: string;
}

/** The day in the form of usage records: its start, RFC 3339 in UTC, and its length. */
interface UsageDay {
  readonly day_at: string;
  readonly day_minutes: number;
}

/** The last requested day, by time zone, of which there are some hundred. */
const days = new Map<string, KnownDay>();

/** The fields of a usage record for its account's day; null if that is the UTC day. `at` in milliseconds since the epoch. */
export function usageDay(timeZone: string | undefined, at: number): UsageDay | null {
  return isUtc(timeZone) ? null : dayOf(timeZone, at).fields;
}

/** The same as JSON members, with a leading comma. */
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
  const fields = { day_at: new Date(start).toISOString(), day_minutes: (end - start) / MINUTE_MS };
  const day = { start, end, fields, json: `,${JSON.stringify(fields).slice(1, -1)}` };
  days.set(timeZone, day);
  return day;
}
