import type { ReactNode } from 'react';
import type { RefetchSchedule } from '../../../data/graphql/refetch-loop.ts';
import { Badge, type Tone } from '../../../design/badge.tsx';
import { count, words } from '../../../design/format.ts';
import { Meter } from '../../../design/meter.tsx';
import type { DatasetRunModelPartsFragment, DatasetRunStatus } from '../../../generated/graphql.ts';

const tones: Readonly<Record<DatasetRunStatus, Tone>> = {
  QUEUED: 'neutral',
  RUNNING: 'accent',
  COMPLETED: 'good',
  CANCELLING: 'warn',
  CANCELLED: 'neutral',
  FAILED: 'bad',
};

/** How often a run's changes are read until it has ended. */
export const untilEnded: RefetchSchedule = { firstMs: 2_000, backsOff: 'after-failure', totalMs: null };

export function RunStatusBadge({ status }: { readonly status: DatasetRunStatus }): ReactNode {
  return <Badge tone={tones[status]}>{words(status)}</Badge>;
}

export function hasEnded({ status }: { readonly status: DatasetRunStatus }): boolean {
  return status === 'COMPLETED' || status === 'CANCELLED' || status === 'FAILED';
}

type Counts = Pick<DatasetRunModelPartsFragment, 'total' | 'completed' | 'failed'>;

/** The counts of several models together. */
export function sumOf(models: readonly Counts[]): Counts {
  return models.reduce(
    (sum, { total, completed, failed }) => ({
      total: sum.total + total,
      completed: sum.completed + completed,
      failed: sum.failed + failed,
    }),
    { total: 0, completed: 0, failed: 0 },
  );
}

/** How many requests have ended, with those that failed. */
export function RunProgress({
  counts: { total, completed, failed },
  label,
}: {
  readonly counts: Counts;
  /** Accessible name. */
  readonly label: string;
}): ReactNode {
  const ended = completed + failed;
  const text = `${count(ended)} of ${count(total)}`;
  const failedText = failed === 0 ? '' : `, ${count(failed)} failed`;
  return (
    <div className="figures flex min-w-12 flex-col gap-0.5">
      <span>
        {text}
        {failedText === '' ? null : <span className="text-bad">{failedText}</span>}
      </span>
      <Meter label={label} used={ended} failed={failed} max={total} text={text + failedText} tone="progress" />
    </div>
  );
}

/** The cost of the models together; null where the price of one is unknown. */
export function totalCost(models: readonly Pick<DatasetRunModelPartsFragment, 'costUsd'>[]): number | null {
  let sum = 0;
  for (const { costUsd } of models) {
    if (costUsd == null) return null;
    sum += Number(costUsd);
  }
  return sum;
}

/** The cost of the judge for all models; null without one, or where its price is unknown. */
export function judgeCost(models: readonly Pick<DatasetRunModelPartsFragment, 'judge'>[]): number | null {
  return totalCost(models.map(({ judge }) => ({ costUsd: judge?.costUsd ?? null })));
}
