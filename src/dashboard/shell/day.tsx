import type { ReactNode } from 'react';
import { Time } from '../design/time.tsx';
import { useViewer } from './viewer.ts';

/** The date of a timestamp in the selected account's time zone. */
export function Day({ at }: { readonly at: string }): ReactNode {
  return <Time at={at} as="date" timeZone={useViewer().currentAccount.timeZone} />;
}

/** First and last day of a period; `end` is exclusive. */
export function Period({ start, end }: { readonly start: string; readonly end: string }): ReactNode {
  return (
    <span className="whitespace-nowrap">
      <Day at={start} /> – <Day at={new Date(Date.parse(end) - 1).toISOString()} />
    </span>
  );
}
