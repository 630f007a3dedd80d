import type { ReactNode } from 'react';
import { Time } from '../../design/time.tsx';

/** Its first and its last day: the end is not part of it. */
export function Period({ start, end }: { readonly start: string; readonly end: string }): ReactNode {
  const last = new Date(Date.parse(end) - 1).toISOString();
  return (
    <span className="whitespace-nowrap">
      <Time at={start} as="date" /> – <Time at={last} as="date" />
    </span>
  );
}
