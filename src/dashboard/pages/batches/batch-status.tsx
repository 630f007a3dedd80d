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

/** How many requests have ended, with those that failed; of a rejected input file its first error. */
export function Progress({
  batch: { total, succeeded, errored, errors },
}: {
  readonly batch: Pick<BatchPartsFragment, 'total' | 'succeeded' | 'errored' | 'errors'>;
}): ReactNode {
  const [first] = errors;
  if (first) return <span className="line-clamp-2 text-bad">{errorText(first)}</span>;
  if (total === 0) return <span className="text-soft">–</span>;
  const ended = succeeded + errored;
  const text = `${count(ended)} of ${count(total)}`;
  const failed = errored === 0 ? '' : `, ${count(errored)} failed`;
  return (
    <div className="figures flex min-w-12 flex-col gap-0.5">
      <span>
        {text}
        {failed === '' ? null : <span className="text-bad">{failed}</span>}
      </span>
      <Meter
        label="Requests that have ended"
        used={ended}
        failed={errored}
        max={total}
        text={text + failed}
        tone="progress"
      />
    </div>
  );
}

/** An error of an input file, with its line. */
export function errorText({ line, message }: Pick<BatchPartsFragment['errors'][number], 'line' | 'message'>): string {
  return line == null ? message : `Line ${count(line)}: ${message}`;
}
