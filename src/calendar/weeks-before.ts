import { DateTime } from 'luxon';

/**
 * The same time of the same weekday, 1 to `weeks` weeks before, by the clocks of a time zone: the latest first, in milliseconds
 * since the epoch.
 * @param timeZone an IANA name; an invalid one counts as UTC
 */
export function sameHourOfWeeksBefore(at: number, weeks: number, timeZone: string): number[] {
  const zoned = DateTime.fromMillis(at, { zone: timeZone });
  const local = zoned.isValid ? zoned : DateTime.fromMillis(at, { zone: 'utc' });
  return Array.from({ length: weeks }, (_, index) => local.minus({ weeks: index + 1 }).toMillis());
}
