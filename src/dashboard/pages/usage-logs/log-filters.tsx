import { memo, useState, type ReactNode } from 'react';
import { Button } from '../../design/button.tsx';
import { Select } from '../../design/field.tsx';
import { localTime } from '../../design/format.ts';
import { RangePicker } from '../../design/range-picker.tsx';
import { usePermissions } from '../../shell/permissions.ts';
import { Chosen, chosenFilters, ChosenFilters } from './chosen-filters.tsx';
import { ContentFilter } from './content/content-filter.tsx';
import { KeyFilter } from './key-filter.tsx';
import { feedbackFilters, type UsageLogsSearch } from './search.ts';
import { StatusFilter } from './status-filter.tsx';
import { TextFilter } from './text-filter.tsx';

const feedbackNames = { any: 'With feedback', good: 'Good', bad: 'Bad' } as const;

const texts = [
  ['modelContains', 'Model contains'],
  ['endUser', 'End user'],
  ['tag', 'Tag (=value)'],
  ['requestId', 'Request ID'],
  ['sessionId', 'Session ID'],
  ['traceId', 'Trace ID'],
] as const;

/** The filters. Their state is in the URL. */
export const LogFilters = memo(function LogFilters({
  search,
  onChange,
}: {
  readonly search: UsageLogsSearch;
  readonly onChange: (next: Partial<UsageLogsSearch>) => void;
}): ReactNode {
  const { can } = usePermissions();
  const [showsAll, setShowsAll] = useState(false);
  const { status, errors, feedback, key, from, text } = search;
  const given = [...texts, ...chosenFilters].map(([name]) => search[name]);
  const isFiltered = [...given, search.member, status, errors, feedback, key, from, text].some(Boolean);
  return (
    <div
      role="search"
      aria-label="Filter requests"
      className="grid grid-cols-2 gap-1 md:grid-cols-[repeat(auto-fill,minmax(180px,1fr))]"
    >
      {search.from ? (
        <Chosen
          title="Remove the custom range"
          text={`${localTime(search.from)}${search.to ? ` – ${localTime(search.to)}` : ''}`}
          onRemove={() => onChange({ from: undefined, to: undefined })}
        />
      ) : (
        <RangePicker chosen={search.range ?? '30d'} onChoose={(range) => onChange({ range })} />
      )}
      <ChosenFilters search={search} onChange={onChange} />
      <StatusFilter search={search} onChange={onChange} />
      <Select
        label="Feedback"
        hidesLabel
        value={search.feedback ?? ''}
        onChange={({ target }) => onChange({ feedback: feedbackFilters.find((each) => each === target.value) })}
      >
        <option value="">Any feedback</option>
        {feedbackFilters.map((each) => (
          <option key={each} value={each}>
            {feedbackNames[each]}
          </option>
        ))}
      </Select>
      {can('keys.read') ? <KeyFilter chosen={key} onChoose={(next) => onChange({ key: next })} /> : null}
      <Button className="md:hidden" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
        {showsAll ? 'Fewer filters' : 'More filters'}
      </Button>
      {can('logged_content.read') ? <ContentFilter words={text} onChange={(next) => onChange({ text: next })} /> : null}
      {texts.map(([name, label]) => (
        <div key={name} className={showsAll || search[name] ? 'max-md:col-span-2' : 'max-md:hidden'}>
          <TextFilter label={label} value={search[name] ?? ''} onChange={(value) => onChange({ [name]: value })} />
        </div>
      ))}
      {isFiltered ? (
        <Button
          variant="quiet"
          className="justify-self-start"
          onClick={() =>
            onChange({
              from: undefined,
              to: undefined,
              model: undefined,
              modelContains: undefined,
              provider: undefined,
              capability: undefined,
              member: undefined,
              errorCode: undefined,
              errors: undefined,
              status: undefined,
              feedback: undefined,
              key: undefined,
              endUser: undefined,
              tag: undefined,
              requestId: undefined,
              sessionId: undefined,
              traceId: undefined,
              text: undefined,
            })
          }
        >
          Clear filters
        </Button>
      ) : null}
    </div>
  );
});
