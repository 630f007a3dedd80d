import type { ReactNode } from 'react';
import { Badge, type Tone } from '../../design/badge.tsx';
import { count, words } from '../../design/format.ts';
import { Meter } from '../../design/meter.tsx';
import type { BatchPartsFragment, BatchStatus } from '../../generated/graphql.ts';

const tones: Readonly<Record<BatchStatus, Tone>> = {
  VALIDATING: 'neutral',
  IN_PROGRESS: 'accent',
  FINALIZING: 'accent',
  COMPLETED: 'good',
  FAILED: 'bad',
  EXPIRED: 'warn',
  CANCELLING: 'warn',
  CANCELLED: 'neutral',
};

export function StatusBadge({ status }: { readonly status: BatchStatus }): ReactNode {
  return <Badge tone={tones[status]}>{words(status)}</Badge>;
}

/** How many requests have ended, with those that failed. */
export function Progress({
  batch: { total, succeeded, errored },
}: {
  readonly batch: Pick<BatchPartsFragment, 'total' | 'succeeded' | 'errored'>;
}): ReactNode {
  if (total === 0) return <span className="text-soft">–</span>;
  const ended = succeeded + errored;
  const text = `${count(ended)} of ${count(total)}`;
  return (
    <div className="figures flex min-w-12 flex-col gap-0.5">
      <span>
        {text}
        {errored > 0 ? <span className="text-bad">, {count(errored)} failed</span> : null}
      </span>
      <Meter label="Requests that have ended" used={ended} max={total} text={text} tone="progress" />
    </div>
  );
}
