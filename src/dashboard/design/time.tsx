import type { ReactNode } from 'react';
import { fromNow, localDate, localTime, utc } from './format.ts';

/** Local time, with UTC on hover. @param timeZone default: the browser's */
export function Time({
  at,
  as = 'time',
  timeZone,
}: {
  readonly at: string;
  readonly as?: 'time' | 'date' | 'relative';
  readonly timeZone?: string;
}): ReactNode {
  const text = as === 'relative' ? fromNow(at) : as === 'date' ? localDate(at, timeZone) : localTime(at);
  return (
    <time dateTime={at} title={utc(at)} className="whitespace-nowrap">
      {text}
    </time>
  );
}
