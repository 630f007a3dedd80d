import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { Combobox, ComboboxTrigger, ComboboxItem, ComboboxNote, useFirstResult } from '../../design/combobox.tsx';
import { KeyNameDocument, KeyNamesDocument } from '../../generated/graphql.ts';

const MAX_SHOWN = 50;

interface Props {
  readonly chosen: string | undefined;
  readonly onChoose: (key: string | undefined) => void;
}

/** Filters by an API key of the account, including revoked keys. */
export function KeyFilter({ chosen, onChoose }: Props): ReactNode {
  const { data } = useQuery(KeyNameDocument, { id: chosen ?? '' }, { pause: chosen === undefined });
  const node = data?.node;
  const name = node?.__typename === 'ApiKey' && node.id === chosen ? node.name : 'Selected key';
  return (
    <Combobox
      title="Choose a key"
      label="Keys"
      placeholder="Search API keys"
      trigger={
        <ComboboxTrigger name="Key">
          <span className="min-w-0 flex-1 wrap-anywhere">{chosen === undefined ? 'Any key' : name}</span>
        </ComboboxTrigger>
      }
    >
      {(search, close) => (
        <Results
          search={search}
          chosen={chosen}
          onChoose={(key) => {
            close();
            onChoose(key);
          }}
        />
      )}
    </Combobox>
  );
}

function Results({ search, chosen, onChoose }: Props & { readonly search: string }): ReactNode {
  const { data, failure, fetching, isCurrent } = useQuery(KeyNamesDocument, {
    filter: { includeRevoked: true, nameContains: search === '' ? undefined : search },
    first: MAX_SHOWN,
  });
  const keys = data?.apiKeys.nodes;
  const first = search === '' ? 'any' : keys?.[0]?.id;
  useFirstResult(isCurrent && !fetching ? first : null, () => onChoose(search === '' ? undefined : first));
  const more = (data?.apiKeys.totalCount ?? 0) - (keys?.length ?? 0);
  return (
    <>
      {failure ? <p className="p-2 text-bad">{failure.message}</p> : null}
      {search === '' ? (
        <ComboboxItem id="any" onChoose={() => onChoose(undefined)}>
          <span className="flex-1">Any key</span>
          {chosen === undefined ? <Check size={16} aria-label="Selected" /> : null}
        </ComboboxItem>
      ) : null}
      {keys?.map(({ id, name, revokedAt }) => (
        <ComboboxItem key={id} id={id} onChoose={() => onChoose(id)}>
          <span className="min-w-0 flex-1 wrap-anywhere">{name}</span>
          {revokedAt == null ? null : <Badge>Revoked</Badge>}
          {id === chosen ? <Check size={16} aria-label="Selected" /> : null}
        </ComboboxItem>
      ))}
      {keys?.length === 0 && search !== '' ? <ComboboxNote>No API key matches this name.</ComboboxNote> : null}
      {more > 0 ? <ComboboxNote>{more} more. Type part of a name to find them.</ComboboxNote> : null}
    </>
  );
}
