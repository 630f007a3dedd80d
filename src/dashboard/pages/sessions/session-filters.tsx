import type { ReactNode } from 'react';
import { Button } from '../../design/button.tsx';
import { Select } from '../../design/field.tsx';
import { words } from '../../design/format.ts';
import { RangePicker } from '../../design/range-picker.tsx';
import { usePermissions } from '../../shell/permissions.ts';
import { KeyFilter } from '../usage-logs/key-filter.tsx';
import { statuses } from '../usage-logs/search.ts';
import { TextFilter } from '../usage-logs/text-filter.tsx';
import { sessionFilterOf, type SessionsSearch } from './search.ts';

/** The filters. Their state is in the URL. */
export function SessionFilters({
  search,
  onChange,
}: {
  readonly search: SessionsSearch;
  readonly onChange: (next: Partial<SessionsSearch>) => void;
}): ReactNode {
  const { can } = usePermissions();
  const isFiltered = Object.values(sessionFilterOf(search)).some(Boolean);
  return (
    <div
      role="search"
      aria-label="Filter sessions"
      className="grid grid-cols-2 gap-1 md:grid-cols-[repeat(auto-fill,minmax(180px,1fr))]"
    >
      <RangePicker chosen={search.range ?? '30d'} onChoose={(range) => onChange({ range })} />
      <Select
        label="Status"
        hidesLabel
        value={search.status ?? ''}
        onChange={({ target }) => onChange({ status: statuses.find((each) => each === target.value) })}
      >
        <option value="">Any status</option>
        {statuses.map((status) => (
          <option key={status} value={status}>
            {words(status)}
          </option>
        ))}
      </Select>
      {can('keys.read') ? <KeyFilter chosen={search.key} onChoose={(key) => onChange({ key })} /> : null}
      <TextFilter
        label="Model contains"
        value={search.modelContains ?? ''}
        onChange={(modelContains) => onChange({ modelContains })}
      />
      <TextFilter label="End user" value={search.endUser ?? ''} onChange={(endUser) => onChange({ endUser })} />
      {isFiltered ? (
        <Button
          variant="quiet"
          className="justify-self-start"
          onClick={() => onChange({ modelContains: undefined, status: undefined, key: undefined, endUser: undefined })}
        >
          Clear filters
        </Button>
      ) : null}
    </div>
  );
}
