import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { useRead } from '../../data/graphql/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { Finder, FinderField, FinderItem, FinderNote, useFirstFound } from '../../design/finder.tsx';
import { KeyNameDocument, KeyNamesDocument } from '../../generated/graphql.ts';

const SHOWN = 50;

interface Props {
  readonly chosen: string | undefined;
  readonly onChoose: (key: string | undefined) => void;
}

/** Filters by an API key of the account, including revoked keys. */
export function KeyFilter({ chosen, onChoose }: Props): ReactNode {
  const { data } = useRead(KeyNameDocument, { id: chosen ?? '' }, { pause: chosen === undefined });
  const node = data?.node;
  const name = node?.__typename === 'ApiKey' && node.id === chosen ? node.name : 'Selected key';
  return (
    <Finder
      title="Choose a key"
      label="Keys"
      placeholder="Search API keys"
      trigger={
        <FinderField name="Key">
          <span className="min-w-0 flex-1 wrap-anywhere">{chosen === undefined ? 'Any key' : name}</span>
        </FinderField>
      }
    >
      {(search, close) => (
        <Found
          search={search}
          chosen={chosen}
          onChoose={(key) => {
            close();
            onChoose(key);
          }}
        />
      )}
    </Finder>
  );
}

function Found({ search, chosen, onChoose }: Props & { readonly search: string }): ReactNode {
  const { data, failure, fetching } = useRead(KeyNamesDocument, {
    filter: { includeRevoked: true, nameContains: search === '' ? undefined : search },
    first: SHOWN,
  });
  const keys = data?.apiKeys.nodes;
  const first = search === '' ? 'any' : keys?.[0]?.id;
  useFirstFound(fetching ? null : first, () => onChoose(search === '' ? undefined : first));
  const more = (data?.apiKeys.totalCount ?? 0) - (keys?.length ?? 0);
  return (
    <>
      {failure ? <p className="p-2 text-bad">{failure.message}</p> : null}
      {search === '' ? (
        <FinderItem id="any" onChoose={() => onChoose(undefined)}>
          <span className="flex-1">Any key</span>
          {chosen === undefined ? <Check size={16} aria-label="chosen" /> : null}
        </FinderItem>
      ) : null}
      {keys?.map(({ id, name, revokedAt }) => (
        <FinderItem key={id} id={id} onChoose={() => onChoose(id)}>
          <span className="min-w-0 flex-1 wrap-anywhere">{name}</span>
          {revokedAt == null ? null : <Badge>Revoked</Badge>}
          {id === chosen ? <Check size={16} aria-label="chosen" /> : null}
        </FinderItem>
      ))}
      {keys?.length === 0 && search !== '' ? <FinderNote>No API key matches this name.</FinderNote> : null}
      {more > 0 ? <FinderNote>{more} more. Type part of a name to find them.</FinderNote> : null}
    </>
  );
}
