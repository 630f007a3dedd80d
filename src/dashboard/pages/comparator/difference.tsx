import { diffLines, diffWordsWithSpace, type Change } from 'diff';
import { useMemo, useState, type ReactNode } from 'react';
import { Select } from '../../design/field.tsx';
import type { Lane } from './lanes.ts';

/** Longer texts are compared by lines, because comparing words would take seconds. */
const MAX_LENGTH_BY_WORDS = 20_000;
const DIFF_TIMEOUT_MS = 300;

/** A diff of two responses. */
export function Difference({ lanes }: { readonly lanes: readonly Lane[] }): ReactNode {
  const [from, setFrom] = useState(lanes[0]?.model ?? '');
  const [to, setTo] = useState(lanes[1]?.model ?? '');
  const textOf = (model: string): string => lanes.find((each) => each.model === model)?.output ?? '';
  const [before, after] = [textOf(from), textOf(to)];
  const changes = useMemo(() => changesOf(before, after), [before, after]);
  return (
    <div className="flex flex-col gap-2">
      <div className="grid gap-1.5 md:grid-cols-2">
        <Choice label="From" value={from} onChange={setFrom} lanes={lanes} />
        <Choice label="To" value={to} onChange={setTo} lanes={lanes} />
      </div>
      <div
        role="region"
        aria-label="Difference"
        className="rounded-medium bg-panel p-2 break-words whitespace-pre-wrap"
      >
        {changes.map(({ value, added, removed }, index) =>
          added ? (
            // oxlint-disable-next-line react/no-array-index-key
            <ins key={index} className="rounded-small bg-good-wash text-good no-underline">
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
        )}
        {before === after ? <p className="text-soft">The responses are identical.</p> : null}
      </div>
    </div>
  );
}

function Choice({
  label,
  value,
  onChange,
  lanes,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (model: string) => void;
  readonly lanes: readonly Lane[];
}): ReactNode {
  return (
    <Select label={label} value={value} onChange={({ target }) => onChange(target.value)}>
      {lanes.map(({ model }) => (
        <option key={model} value={model}>
          {model}
        </option>
      ))}
    </Select>
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
