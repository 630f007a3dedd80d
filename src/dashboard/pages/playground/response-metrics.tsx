import type { ReactNode } from 'react';
import { money } from '../../design/format.ts';

/** Time, tokens and cost of a response on one line. */
export function ResponseMetrics({
  metrics,
}: {
  readonly metrics: readonly (readonly [name: string, value: string | null])[];
}): ReactNode {
  return (
    <dl className="figures flex min-h-2 flex-wrap gap-x-2 gap-y-0.5 text-small text-soft">
      {metrics.map(([name, value]) =>
        value === null ? null : (
          <div key={name} className="flex gap-0.5">
            <dt>{name}</dt>
            <dd className="text-ink">{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

export function costText(cost: string | null): string | null {
  return cost === null ? null : money(cost);
}
