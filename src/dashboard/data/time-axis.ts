import type { Interval } from '../generated/graphql.ts';

/** How the beginnings of intervals read on an axis, at the account's time zone. */
export function atFormat(interval: Interval, timeZone: string): (at: string) => string {
  const format = new Intl.DateTimeFormat(
    'en-GB',
    interval === 'HOUR'
      ? { hour: '2-digit', minute: '2-digit', timeZone }
      : { day: 'numeric', month: 'short', timeZone },
  );
  return (at) => format.format(new Date(at));
}
