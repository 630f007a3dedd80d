import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { useRead } from '../../data/graphql/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { Finder, FinderField, FinderItem, FinderNote } from '../../design/finder.tsx';
import { AuditActorDocument, AuditActorsDocument } from '../../generated/graphql.ts';

const SHOWN = 25;

interface Props {
  readonly chosen: string | undefined;
  readonly onChoose: (actor: string | undefined) => void;
}

/** Filters by a member, found by name or e-mail, or by an API key. */
export function ActorFilter({ chosen, onChoose }: Props): ReactNode {
  const { data } = useRead(AuditActorDocument, { id: chosen ?? '' }, { pause: chosen === undefined });
  const key = data?.node?.__typename === 'ApiKey' ? data.node : undefined;
  const found = key ?? data?.account.members.nodes[0]?.user;
  // `data` holds the previous actor until the next one is loaded.
  const name = found?.id === chosen ? found?.name : 'Former member or key';
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <span aria-hidden className="font-strong">
        Actor
      </span>
      <Finder
        title="Choose an actor"
        label="Actors"
        placeholder="Search members and API keys"
        trigger={
          <FinderField name="Actor">
            <span className="min-w-0 flex-1 wrap-anywhere">{chosen === undefined ? 'All actors' : name}</span>
          </FinderField>
        }
      >
        {(search, close) => (
          <Found
            search={search}
            chosen={chosen}
            onChoose={(actor) => {
              close();
              onChoose(actor);
            }}
          />
        )}
      </Finder>
    </div>
  );
}

function Found({ search, chosen, onChoose }: Props & { readonly search: string }): ReactNode {
  const nameContains = search === '' ? undefined : search;
  const { data, failure } = useRead(AuditActorsDocument, { nameContains, first: SHOWN });
  const members = data?.account.members;
  const keys = data?.apiKeys;
  const shown = (members?.nodes.length ?? 0) + (keys?.nodes.length ?? 0);
  const more = (members?.totalCount ?? 0) + (keys?.totalCount ?? 0) - shown;
  const mark = (id: string): ReactNode => (id === chosen ? <Check size={16} aria-label="chosen" /> : null);
  return (
    <>
      {failure ? <p className="p-2 text-bad">{failure.message}</p> : null}
      {search === '' ? (
        <FinderItem id="all" onChoose={() => onChoose(undefined)}>
          <span className="flex-1">All actors</span>
          {chosen === undefined ? <Check size={16} aria-label="chosen" /> : null}
        </FinderItem>
      ) : null}
      {members?.nodes.map(({ user: { id, name, email } }) => (
        <FinderItem key={id} id={id} onChoose={() => onChoose(id)}>
          <span className="min-w-0 flex-1 wrap-anywhere">
            {name} <span className="text-soft">{email}</span>
          </span>
          {mark(id)}
        </FinderItem>
      ))}
      {keys?.nodes.map(({ id, name, revokedAt }) => (
        <FinderItem key={id} id={id} onChoose={() => onChoose(id)}>
          <span className="min-w-0 flex-1 wrap-anywhere">{name}</span>
          <Badge>{revokedAt == null ? 'API key' : 'Revoked API key'}</Badge>
          {mark(id)}
        </FinderItem>
      ))}
      {data && shown === 0 ? <FinderNote>No member or API key matches this name.</FinderNote> : null}
      {more > 0 ? <FinderNote>{more} more. Type part of a name to find them.</FinderNote> : null}
    </>
  );
}
