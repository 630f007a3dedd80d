import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../design/button.tsx';
import { Input, Select } from '../../design/field.tsx';
import { actionText, actionKinds } from './actions.ts';
import { ActorFilter } from './actor-filter.tsx';
import type { AuditSearch } from './search.ts';

const noFilters: AuditSearch = {
  actor: undefined,
  action: undefined,
  target: undefined,
  since: undefined,
  until: undefined,
};

/** The filters. Their state is in the URL. */
export function AuditFilters({
  search,
  onChange,
}: {
  readonly search: AuditSearch;
  readonly onChange: (next: Partial<AuditSearch>) => void;
}): ReactNode {
  const actions: readonly string[] = actionKinds.map((kind) => `${kind}.*`);
  const { actor, action, target, since, until } = search;
  const isFiltered = Boolean(actor ?? action ?? target ?? since ?? until);
  return (
    <div
      role="search"
      aria-label="Filter the audit log"
      className="grid grid-cols-2 items-end gap-1 md:grid-cols-4 lg:auto-cols-max lg:grid-flow-col lg:grid-cols-[repeat(4,minmax(0,1fr))]"
    >
      <ActorFilter chosen={actor} onChoose={(next) => onChange({ actor: next })} />
      <Select
        label="Action"
        value={action ?? ''}
        onChange={({ target: field }) => onChange({ action: field.value || undefined })}
      >
        <option value="">All actions</option>
        {action && !actions.includes(action) ? <option value={action}>{actionText(action)}</option> : null}
        {actions.map((each) => (
          <option key={each} value={each}>
            {actionText(each)}
          </option>
        ))}
      </Select>
      <Input
        label="From"
        type="date"
        value={since ?? ''}
        max={until}
        onChange={({ target: field }) => onChange({ since: field.value || undefined })}
      />
      <Input
        label="To"
        type="date"
        value={until ?? ''}
        min={since}
        onChange={({ target: field }) => onChange({ until: field.value || undefined })}
      />
      {isFiltered ? (
        <div className="flex gap-1 max-lg:col-span-full">
          {target ? (
            <Button icon={<X size={16} aria-hidden />} onClick={() => onChange({ target: undefined })}>
              Remove target filter
            </Button>
          ) : null}
          <Button variant="quiet" onClick={() => onChange(noFilters)}>
            Clear
          </Button>
        </div>
      ) : null}
    </div>
  );
}
