import { diffLines, diffWordsWithSpace, type Change } from 'diff';
import { useMemo, type ReactNode } from 'react';

/** Longer texts are compared by lines, because comparing words would take seconds. */
const MAX_LENGTH_BY_WORDS = 20_000;
const DIFF_TIMEOUT_MS = 300;

/** A text with what differs from another: insertions underlined, deletions struck through. */
export function DiffText({ before, after }: { readonly before: string; readonly after: string }): ReactNode {
  const changes = useMemo(() => changesOf(before, after), [before, after]);
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

function changesOf(before: string, after: string): readonly Change[] {
  const byWords =
    before.length + after.length <= MAX_LENGTH_BY_WORDS
      ? diffWordsWithSpace(before, after, { timeout: DIFF_TIMEOUT_MS })
      : undefined;
  return (
    byWords ??
    diffLines(before, after, { timeout: DIFF_TIMEOUT_MS }) ?? [
      { value: before, added: false, removed: true, count: 1 },
      { value: after, added: true, removed: false, count: 1 },
    ]
  );
}
