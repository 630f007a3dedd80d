import { useState, type ReactNode } from 'react';
import { DiffText } from '../../design/diff-text.tsx';
import { Select } from '../../design/field.tsx';
import type { Lane } from './lanes.ts';

/** A diff of two responses. */
export function Difference({ lanes }: { readonly lanes: readonly Lane[] }): ReactNode {
  const [from, setFrom] = useState(lanes[0]?.model ?? '');
  const [to, setTo] = useState(lanes[1]?.model ?? '');
  const textOf = (model: string): string => lanes.find((each) => each.model === model)?.output ?? '';
  const [before, after] = [textOf(from), textOf(to)];
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
        <DiffText before={before} after={after} />
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
