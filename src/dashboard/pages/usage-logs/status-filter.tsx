import type { ReactNode } from 'react';
import { Select } from '../../design/field.tsx';
import { words } from '../../design/format.ts';
import { statuses, type UsageLogsSearch } from './search.ts';

type StatusSearch = Pick<UsageLogsSearch, 'status' | 'errors'>;

/** The value for any error. */
const ERRORS = 'errors';

export function StatusFilter({
  search: { status, errors },
  onChange,
}: {
  readonly search: StatusSearch;
  readonly onChange: (next: StatusSearch) => void;
}): ReactNode {
  return (
    <Select
      label="Status"
      hidesLabel
      value={errors === true ? ERRORS : (status ?? '')}
      onChange={({ target: { value } }) =>
        onChange({
          status: statuses.find((each) => each === value),
          errors: value === ERRORS ? true : undefined,
        })
      }
    >
      <option value="">Any status</option>
      <option value={ERRORS}>Any error</option>
      {statuses.map((each) => (
        <option key={each} value={each}>
          {words(each)}
        </option>
      ))}
    </Select>
  );
}
