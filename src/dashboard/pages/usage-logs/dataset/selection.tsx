import { Database } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { Button } from '../../../design/button.tsx';
import { count } from '../../../design/format.ts';
import type { Column } from '../../../design/rows.tsx';
import type { LogRow } from '../log-columns.tsx';
import { AddToDataset } from './add-to-dataset.tsx';

export interface LogSelection {
  /** Whether rows can be selected now. */
  readonly isOn: boolean;
  readonly ids: ReadonlySet<string>;
  readonly setOn: (isOn: boolean) => void;
  readonly toggle: (id: string) => void;
}

/** Which requests are selected. */
export function useLogSelection(): LogSelection {
  const [ids, setIds] = useState<ReadonlySet<string> | null>(null);
  return {
    isOn: ids !== null,
    ids: ids ?? new Set(),
    setOn: (isOn) => setIds(isOn ? new Set() : null),
    toggle: (id) =>
      setIds((before) => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
  };
}

/** A column of checkboxes; null where nothing is selected. */
export function useSelectionColumn({ isOn, ids, toggle }: LogSelection): Column<LogRow> | null {
  return useMemo(() => (isOn ? selectionColumn(ids, toggle) : null), [isOn, ids, toggle]);
}

function selectionColumn(ids: ReadonlySet<string>, toggle: (id: string) => void): Column<LogRow> {
  return {
    name: 'select',
    title: <span className="sr-only">Selected</span>,
    width: '24px',
    cell: ({ id, model, createdAt }) => (
      // The row opens where it is clicked. The label is larger than the box.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions jsx-a11y/click-events-have-key-events
      <label className="grid size-3 place-items-center" onClick={(event) => event.stopPropagation()}>
        <input
          type="checkbox"
          aria-label={`Select ${model}, ${createdAt}`}
          checked={ids.has(id)}
          onChange={() => toggle(id)}
          onKeyDown={(event) => event.stopPropagation()}
          className="size-2 accent-accent"
        />
      </label>
    ),
  };
}

/** What is done with the selected requests. */
export function SelectionBar({ selection }: { readonly selection: LogSelection }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const ids = [...selection.ids];
  return (
    <div role="toolbar" aria-label="Selected requests" className="flex flex-wrap items-center gap-1">
      <span role="status" className="figures flex-1">
        {ids.length === 0 ? 'Select requests in the list.' : `${count(ids.length)} selected`}
      </span>
      <Button onClick={() => selection.setOn(false)}>Cancel</Button>
      <Button
        variant="primary"
        disabled={ids.length === 0}
        icon={<Database size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        Add to dataset
      </Button>
      <AddToDataset
        ids={ids}
        open={isOpen}
        onClose={(isAdded) => {
          setOpen(false);
          if (isAdded) selection.setOn(false);
        }}
      />
    </div>
  );
}
