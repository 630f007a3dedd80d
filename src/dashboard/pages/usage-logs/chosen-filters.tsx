import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { filteredMemberText, useMemberNames } from '../../data/members/member-names.ts';
import { Button } from '../../design/button.tsx';
import type { UsageLogsSearch } from './search.ts';

/** Set by links and rows, in place of a field. */
export const chosenFilters = [
  ['model', 'Model'],
  ['provider', 'Provider'],
  ['capability', 'Capability'],
  ['errorCode', 'Error'],
] as const;

type ChosenSearch = Pick<UsageLogsSearch, (typeof chosenFilters)[number][0] | 'member'>;

/** The filters that were set by links, each with a button that removes it. */
export function ChosenFilters({
  search,
  onChange,
}: {
  readonly search: ChosenSearch;
  readonly onChange: (next: ChosenSearch) => void;
}): ReactNode {
  return (
    <>
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
    </>
  );
}

function ChosenMember({ id, onRemove }: { readonly id: string; readonly onRemove: () => void }): ReactNode {
  const names = useMemberNames([id]);
  return <Chosen title="Remove the member filter" text={filteredMemberText(names, id)} {...{ onRemove }} />;
}

/** A filter set by a link. The button grows with its text. */
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
    <Button
      icon={<X size={16} aria-hidden />}
      className="col-span-2 !h-auto min-h-4.5 min-w-0 !justify-start py-0.75 !font-normal !whitespace-normal max-md:min-h-5.5"
      title={title}
      onClick={onRemove}
    >
      <span className="min-w-0 text-left wrap-anywhere">{text}</span>
    </Button>
  );
}
