import type { ReactNode } from 'react';

/** A dash in place of a text that is not available. */
export function Absent({ reason }: { readonly reason: string }): ReactNode {
  return (
    <span className="text-soft" title={reason}>
      <span aria-hidden>–</span>
      <span className="sr-only">{reason}</span>
    </span>
  );
}
