import { X } from 'lucide-react';
import { memo, useState, type ReactNode } from 'react';
import { Button } from '../../design/button.tsx';
import { Select } from '../../design/field.tsx';
import { localTime, words } from '../../design/format.ts';
import { RangePicker } from '../../design/range-picker.tsx';
import { usePermissions } from '../../shell/permissions.ts';
import { ContentFilter } from './content/content-filter.tsx';
import { KeyFilter } from './key-filter.tsx';
import { feedbackFilters, statuses, type UsageLogsSearch } from './search.ts';
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
  const { model, provider, status, feedback, key, from, text } = search;
  const isFiltered = [...texts.map(([name]) => search[name]), model, provider, status, feedback, key, from, text].some(
    Boolean,
  );
  return (
    <div
      role="search"
      aria-label="Filter requests"
      className="grid grid-cols-2 gap-1 md:grid-cols-[repeat(auto-fill,minmax(180px,1fr))]"
    >
      {search.from ? (
        <Button
          icon={<X size={16} aria-hidden />}
          className={chosenFilterClass}
          title="Remove the custom range"
          onClick={() => onChange({ from: undefined, to: undefined })}
        >
          <span className="min-w-0 text-left wrap-anywhere">
            {localTime(search.from)}
            {search.to ? ` – ${localTime(search.to)}` : ''}
          </span>
        </Button>
      ) : (
        <RangePicker chosen={search.range ?? '30d'} onChoose={(range) => onChange({ range })} />
      )}
      {model ? (
        <Chosen
          title="Remove the model filter"
          text={`Model: ${model}`}
          onRemove={() => onChange({ model: undefined })}
        />
      ) : null}
      {provider ? (
        <Chosen
          title="Remove the provider filter"
          text={`Provider: ${provider}`}
          onRemove={() => onChange({ provider: undefined })}
        />
      ) : null}
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

/** The button grows with its text. */
const chosenFilterClass =
  'col-span-2 !h-auto min-h-4.5 min-w-0 !justify-start py-0.75 !font-normal !whitespace-normal max-md:min-h-5.5';

/** A filter set by a link. */
function Chosen({
  title,
  text,
  onRemove,
}: {
  readonly title: string;
  readonly text: string;
  readonly onRemove: () => void;
}): ReactNode {
  return (
    <Button icon={<X size={16} aria-hidden />} className={chosenFilterClass} title={title} onClick={onRemove}>
      <span className="min-w-0 text-left wrap-anywhere">{text}</span>
    </Button>
  );
}
