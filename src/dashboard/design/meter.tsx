import type { ReactNode } from 'react';

/** The used fraction of a limit, whose colour changes near the limit; or the part of something that is done. */
export function Meter({
  label,
  used,
  failed = 0,
  max,
  text,
  tone = 'limit',
}: {
  readonly label: string;
  readonly used: number;
  /** The part of `used` that has failed: the end of the bar has the colour of errors. `text` names it, too. */
  readonly failed?: number;
  readonly max: number;
  readonly text: string;
  /** Progress is good when it is complete. */
  readonly tone?: 'limit' | 'progress';
}): ReactNode {
  const share = max > 0 ? Math.min(1, used / max) : used > 0 ? 1 : 0;
  const failedShare = used > 0 ? share * Math.min(1, failed / used) : 0;
  const colour = tone === 'progress' ? 'bg-accent' : share >= 1 ? 'bg-bad' : share >= 0.8 ? 'bg-warn' : 'bg-accent';
  return (
    <div
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      aria-valuetext={text}
      className="flex h-0.5 w-full overflow-hidden rounded-small bg-hover"
    >
      <div className={`h-full ${colour}`} style={{ width: `${(share - failedShare) * 100}%` }} />
      {failedShare > 0 ? <div className="h-full min-w-0.5 bg-bad" style={{ width: `${failedShare * 100}%` }} /> : null}
    </div>
  );
}
