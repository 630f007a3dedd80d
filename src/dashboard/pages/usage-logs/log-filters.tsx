import { X } from 'lucide-react';
import { memo, useState, type ReactNode } from 'react';
import { Button } from '../../design/button.tsx';
import { Select } from '../../design/field.tsx';
import { localTime, words } from '../../design/format.ts';
import { RangePicker } from '../../design/range-picker.tsx';
import { filteredMemberText, useMemberNames } from '../../data/members/member-names.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { ContentFilter } from './content/content-filter.tsx';
import { KeyFilter } from './key-filter.tsx';
import { feedbackFilters, statuses, type UsageLogsSearch } from './search.ts';
import { TextFilter } from './text-filter.tsx';

const feedbackNames = { any: 'With feedback', good: 'Good', bad: 'Bad' } as const;

/** The value of the status for any error. */
const ERRORS = 'errors';

/** Set by links. */
const chosenFilters = [
  ['model', 'Model'],
  ['provider', 'Provider'],
  ['capability', 'Capability'],
  ['errorCode', 'Error'],
] as const;

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
      {search.member ? <ChosenMember id={search.member} onRemove={() => onChange({ member: undefined })} /> : null}
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

function ChosenMember({ id, onRemove }: { readonly id: string; readonly onRemove: () => void }): ReactNode {
  const names = useMemberNames([id]);
  return <Chosen title="Remove the member filter" text={filteredMemberText(names, id)} {...{ onRemove }} />;
}

/** The button grows with its text. */
const chosenFilterClass =
  'col-span-2 !h-auto min-h-4.5 min-w-0 !justify-start py-0.75 !font-normal !whitespace-normal max-md:min-h-5.5';

/** A filter set by a link. */
export function Chosen({
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
