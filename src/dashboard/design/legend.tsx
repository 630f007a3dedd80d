import type { ReactNode } from 'react';
import type { Series } from './series.ts';
import { Swatch } from './texture.tsx';

export function Legend({ series }: { readonly series: readonly Series[] }): ReactNode {
  if (series.length === 0) return null;
  return (
    <ul aria-label="Legend" className="flex min-w-0 flex-wrap gap-x-2 gap-y-0.5 text-small text-soft">
      {series.map(({ name, style }) => (
        <li key={name} className="flex min-w-0 items-center gap-0.75">
          <Swatch style={style} />
          <span className="min-w-0 wrap-anywhere">{name}</span>
        </li>
      ))}
    </ul>
  );
}

/** Shown with a chart whose data was truncated by the server. */
export function Incomplete(): ReactNode {
  return (
    <p role="note" className="text-small text-soft">
      The period has too many groups: each interval shows only those with the highest cost.
    </p>
  );
}
