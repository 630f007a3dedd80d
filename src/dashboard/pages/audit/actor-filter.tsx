import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { Combobox, ComboboxTrigger, ComboboxItem, ComboboxNote } from '../../design/combobox.tsx';
import { AuditActorDocument, AuditActorsDocument } from '../../generated/graphql.ts';

const MAX_SHOWN = 25;

interface Props {
  readonly chosen: string | undefined;
  readonly onChoose: (actor: string | undefined) => void;
}

/** Filters by a member, found by name or e-mail, or by an API key. */
export function ActorFilter({ chosen, onChoose }: Props): ReactNode {
  const { data } = useQuery(AuditActorDocument, { id: chosen ?? '' }, { pause: chosen === undefined });
  const key = data?.node?.__typename === 'ApiKey' ? data.node : undefined;
  const found = key ?? data?.account.members.nodes[0]?.user;
  // `data` holds the previous actor until the next one is loaded.
  const name = found?.id === chosen ? found?.name : 'Former member or key';
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <span aria-hidden className="font-strong">
        Actor
      </span>
      <Combobox
        title="Choose an actor"
        label="Actors"
        placeholder="Search members and API keys"
        trigger={
          <ComboboxTrigger name="Actor">
            <span className="min-w-0 flex-1 wrap-anywhere">{chosen === undefined ? 'All actors' : name}</span>
          </ComboboxTrigger>
        }
      >
        {(search, close) => (
          <Results
            search={search}
            chosen={chosen}
            onChoose={(actor) => {
              close();
              onChoose(actor);
            }}
          />
        )}
      </Combobox>
    </div>
  );
}

function Results({ search, chosen, onChoose }: Props & { readonly search: string }): ReactNode {
  const nameContains = search === '' ? undefined : search;
  const { data, failure } = useQuery(AuditActorsDocument, { nameContains, first: MAX_SHOWN });
  const members = data?.account.members;
  const keys = data?.apiKeys;
  const shown = (members?.nodes.length ?? 0) + (keys?.nodes.length ?? 0);
  const more = (members?.totalCount ?? 0) + (keys?.totalCount ?? 0) - shown;
  const mark = (id: string): ReactNode => (id === chosen ? <Check size={16} aria-label="Selected" /> : null);
  return (
    <>
      {failure ? <p className="p-2 text-bad">{failure.message}</p> : null}
      {search === '' ? (
        <ComboboxItem id="all" onChoose={() => onChoose(undefined)}>
          <span className="flex-1">All actors</span>
          {chosen === undefined ? <Check size={16} aria-label="Selected" /> : null}
        </ComboboxItem>
      ) : null}
      {members?.nodes.map(({ user: { id, name, email } }) => (
        <ComboboxItem key={id} id={id} onChoose={() => onChoose(id)}>
          <span className="min-w-0 flex-1 wrap-anywhere">
            {name} <span className="text-soft">{email}</span>
          </span>
          {mark(id)}
        </ComboboxItem>
      ))}
      {keys?.nodes.map(({ id, name, revokedAt }) => (
        <ComboboxItem key={id} id={id} onChoose={() => onChoose(id)}>
          <span className="min-w-0 flex-1 wrap-anywhere">{name}</span>
          <Badge>{revokedAt == null ? 'API key' : 'Revoked API key'}</Badge>
          {mark(id)}
        </ComboboxItem>
      ))}
      {data && shown === 0 ? <ComboboxNote>No member or API key matches this name.</ComboboxNote> : null}
      {more > 0 ? <ComboboxNote>{more} more. Type part of a name to find them.</ComboboxNote> : null}
    </>
  );
}
