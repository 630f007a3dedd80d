import { memo, useState, type ReactNode } from 'react';
import { isRangeName, rangeLabels, rangeNames, type Range } from '../../data/range.ts';
import { Button } from '../../design/button.tsx';
import { Select } from '../../design/field.tsx';
import { usePermissions } from '../../shell/permissions.ts';
import { ChosenFilters } from '../usage-logs/chosen-filters.tsx';
import { KeyFilter } from '../usage-logs/key-filter.tsx';
import { StatusFilter } from '../usage-logs/status-filter.tsx';
import { TextFilter } from '../usage-logs/text-filter.tsx';
import { CustomRange } from './range/custom-range.tsx';
import { filtersOf, type AnalyticsFilters, type AnalyticsSearch } from './search.ts';

/** The value of the time range beside those of the search. */
const CUSTOM = 'custom';

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
      <ChosenFilters search={search} onChange={onChange} />
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

/** Each filter without a value. */
function cleared(filters: AnalyticsFilters): AnalyticsFilters {
  return Object.fromEntries(Object.keys(filters).map((name) => [name, undefined]));
}
