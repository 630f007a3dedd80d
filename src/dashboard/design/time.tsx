import type { ReactNode } from 'react';
import { fromNow, localDate, localTime, utc } from './format.ts';

/** Local time, with UTC on hover. */
export function Time({
  at,
  as = 'time',
}: {
  readonly at: string;
  readonly as?: 'time' | 'date' | 'relative';
}): ReactNode {
  const text = as === 'relative' ? fromNow(at) : as === 'date' ? localDate(at) : localTime(at);
  return (
    <time dateTime={at} title={utc(at)} className="whitespace-nowrap">
      {text}
    </time>
  );
}
