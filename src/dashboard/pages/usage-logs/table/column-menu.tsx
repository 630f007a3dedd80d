import { Columns3 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../../design/button.tsx';
import { Checkbox } from '../../../design/field.tsx';
import { Popover } from '../../../design/popover.tsx';
import { logColumns } from '../log-columns.tsx';
import type { LogView } from './log-view.ts';

/** Which columns are shown. Narrow pages have no room to choose from. */
export function ColumnMenu({ view }: { readonly view: LogView }): ReactNode {
  const shown = new Set(view.columns.map(({ name }) => name));
  return (
    <Popover
      label="Columns"
      trigger={
        <Button icon={<Columns3 size={16} aria-hidden />} className="max-lg:hidden">
          Columns
        </Button>
      }
    >
      <fieldset>
        <legend className="sr-only">Columns</legend>
        <div className="grid grid-cols-2 gap-x-3 gap-y-1">
          {logColumns.map(({ name, label }) => (
            <Checkbox
              key={name}
              label={label}
              checked={shown.has(name)}
              disabled={name === 'model'}
              onChange={() => view.toggleColumn(name)}
            />
          ))}
        </div>
      </fieldset>
      <Button variant="quiet" className="mt-1" disabled={view.isDefault} onClick={view.resetColumns}>
        Default columns
      </Button>
    </Popover>
  );
}
