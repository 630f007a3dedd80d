import { memo, useState, type ReactNode } from 'react';
import { isRangeName, rangeLabels, rangeNames, type Range } from '../../data/range.ts';
import { filteredMemberText, useMemberNames } from '../../data/members/member-names.ts';
import { Button } from '../../design/button.tsx';
import { Select } from '../../design/field.tsx';
import { words } from '../../design/format.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { KeyFilter } from '../usage-logs/key-filter.tsx';
import { Chosen } from '../usage-logs/log-filters.tsx';
import { statuses } from '../usage-logs/search.ts';
import { TextFilter } from '../usage-logs/text-filter.tsx';
import { CustomRange } from './range/custom-range.tsx';
import { filtersOf, type AnalyticsFilters, type AnalyticsSearch } from './search.ts';

/** Values of the selects beside those of the search. */
const CUSTOM = 'custom';
const ERRORS = 'errors';

/** Set by rows of the table. */
const chosenFilters = [
  ['model', 'Model'],
  ['provider', 'Provider'],
  ['capability', 'Capability'],
  ['errorCode', 'Error'],
] as const;

const texts = [
  ['modelContains', 'Model contains'],
  ['tag', 'Tag (=value)'],
  ['endUser', 'End user'],
] as const;

/** The filters and the time range. Their state is in the URL. */
export const AnalyticsFilterBar = memo(function AnalyticsFilterBar({
  search,
  range,
  onChange,
}: {
  readonly search: AnalyticsSearch;
  readonly range: Range;
  readonly onChange: (next: Partial<AnalyticsSearch>) => void;
}): ReactNode {
  const { can } = usePermissions();
  const [showsAll, setShowsAll] = useState(false);
  const filters = filtersOf(search);
  const isFiltered = Object.values(filters).some((each) => each !== undefined);
  return (
    <div
      role="search"
      aria-label="Filter usage"
      className="grid grid-cols-2 gap-1 md:grid-cols-[repeat(auto-fill,minmax(180px,1fr))]"
    >
      <Select
        label="Time range"
        hidesLabel
        value={search.range ?? '30d'}
        onChange={({ target: { value } }) => {
          if (isRangeName(value)) onChange({ range: value, from: undefined, to: undefined });
          else onChange({ range: CUSTOM, from: range.from, to: range.to });
        }}
      >
        {rangeNames.map((name) => (
          <option key={name} value={name}>
            {rangeLabels[name]}
          </option>
        ))}
        <option value={CUSTOM}>Custom range</option>
      </Select>
      <StatusFilter search={search} onChange={onChange} />
      {can('keys.read') ? <KeyFilter chosen={search.key} onChoose={(key) => onChange({ key })} /> : null}
      <Button className="md:hidden" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
        {showsAll ? 'Fewer filters' : 'More filters'}
      </Button>
      {texts.map(([name, label]) => (
        <div key={name} className={showsAll || search[name] ? 'max-md:col-span-2' : 'max-md:hidden'}>
          <TextFilter label={label} value={search[name] ?? ''} onChange={(value) => onChange({ [name]: value })} />
        </div>
      ))}
      {chosenFilters.map(([name, label]) =>
        search[name] ? (
          <Chosen
            key={name}
            title={`Remove the ${label.toLowerCase()} filter`}
            text={`${label}: ${search[name]}`}
            onRemove={() => onChange({ [name]: undefined })}
          />
        ) : null,
      )}
      {search.member ? <MemberFilter id={search.member} onChange={onChange} /> : null}
      {isFiltered ? (
        <Button variant="quiet" className="justify-self-start" onClick={() => onChange(cleared(filters))}>
          Clear filters
        </Button>
      ) : null}
      {search.range === CUSTOM ? (
        <CustomRange
          // The fields start with the range in the URL.
          key={`${range.from} ${range.to}`}
          range={range}
          onChange={({ from, to }) => onChange({ range: CUSTOM, from, to })}
        />
      ) : null}
    </div>
  );
});

function StatusFilter({
  search: { status, errors },
  onChange,
}: {
  readonly search: AnalyticsSearch;
  readonly onChange: (next: Partial<AnalyticsSearch>) => void;
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

function MemberFilter({
  id,
  onChange,
}: {
  readonly id: string;
  readonly onChange: (next: Partial<AnalyticsSearch>) => void;
}): ReactNode {
  const names = useMemberNames([id]);
  return (
    <Chosen
      title="Remove the member filter"
      text={filteredMemberText(names, id)}
      onRemove={() => onChange({ member: undefined })}
    />
  );
}

/** Each filter without a value. */
function cleared(filters: AnalyticsFilters): AnalyticsFilters {
  return Object.fromEntries(Object.keys(filters).map((name) => [name, undefined]));
}
