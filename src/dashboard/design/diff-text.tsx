import { useMemo, type ReactNode } from 'react';
import { textChanges } from './text-changes.ts';

const DEFAULT_TIMEOUT_MS = 600;

/** A text with what differs from another: insertions underlined, deletions struck through. */
export function DiffText({
  before,
  after,
  timeoutMs = DEFAULT_TIMEOUT_MS,
}: {
  readonly before: string;
  readonly after: string;
  /** How long the page may be blocked. Texts that take longer are shown as replaced. */
  readonly timeoutMs?: number;
}): ReactNode {
  const changes = useMemo(() => textChanges(before, after, timeoutMs), [before, after, timeoutMs]);
  return changes.map(({ value, added, removed }, index) =>
    added ? (
      // oxlint-disable-next-line react/no-array-index-key
      <ins key={index} className="rounded-small bg-good-wash text-good">
        {value}
      </ins>
    ) : removed ? (
      // oxlint-disable-next-line react/no-array-index-key
      <del key={index} className="rounded-small bg-bad-wash text-bad">
        {value}
      </del>
    ) : (
      // oxlint-disable-next-line react/no-array-index-key
      <span key={index}>{value}</span>
    ),
  );
}
