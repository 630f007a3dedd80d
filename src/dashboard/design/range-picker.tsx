import type { ReactNode } from 'react';
import { isRangeName, rangeLabels, rangeNames, type RangeName } from '../data/range.ts';
import { Select } from './field.tsx';

export function RangePicker({
  chosen,
  onChoose,
}: {
  readonly chosen: RangeName;
  readonly onChoose: (name: RangeName) => void;
}): ReactNode {
  return (
    <Select
      label="Time range"
      hidesLabel
      value={chosen}
      onChange={({ target }) => (isRangeName(target.value) ? onChoose(target.value) : undefined)}
    >
      {rangeNames.map((name) => (
        <option key={name} value={name}>
          {rangeLabels[name]}
        </option>
      ))}
    </Select>
  );
}
