import type { ReactNode } from 'react';
import { Time } from '../design/time.tsx';
import { useViewer } from './viewer.ts';

/** The day of a moment, as the account that one looks at counts its days. */
export function Day({ at }: { readonly at: string }): ReactNode {
  return <Time at={at} as="date" timeZone={useViewer().currentAccount.timeZone} />;
}

/** Its first and its last day: the end is not part of it. */
export function Period({ start, end }: { readonly start: string; readonly end: string }): ReactNode {
  return (
    <span className="whitespace-nowrap">
      <Day at={start} /> – <Day at={new Date(Date.parse(end) - 1).toISOString()} />
    </span>
  );
}
