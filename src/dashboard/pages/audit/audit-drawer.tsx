import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy.tsx';
import { words } from '../../design/format.ts';
import { Drawer } from '../../design/overlay.tsx';
import { Facts, Section } from '../../design/page.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { AuditedEntryDocument, type AuditRowFragment } from '../../generated/graphql.ts';
import { History } from 'lucide-react';
import { actionText } from './actions.ts';
import { Changes } from './changes.tsx';
import type { AuditSearch } from './search.ts';

interface Props {
  readonly id: string | null;
  /** The entry if the list has loaded it. */
  readonly known: AuditRowFragment | null;
  readonly onClose: () => void;
  readonly onFilter: (next: AuditSearch) => void;
}

/** One entry: actor, IP address, client, and the values before and after. */
export function AuditDrawer({ id, known, onClose, onFilter }: Props): ReactNode {
  // A shared URL may name an entry that the list has not loaded.
  const { data, failure, refetch } = useQuery(
    AuditedEntryDocument,
    { id: id ?? '' },
    { pause: id === null || known !== null },
  );
  const node = data?.node;
  const entry = known ?? (node?.__typename === 'AuditEntry' ? node : null);
  return (
    <Drawer
      open={id !== null}
      onClose={onClose}
      title={entry ? actionText(entry.action) : 'Audit entry'}
      description={entry?.target.label ?? undefined}
    >
      {entry ? (
        <Details entry={entry} onFilter={onFilter} />
      ) : failure ? (
        <Failed failure={failure} onRetry={refetch} />
      ) : data ? (
        <Empty icon={<History size={24} />} title="Entry not found">
          It may belong to another account, or be older than the retention period.
        </Empty>
      ) : (
        <SkeletonRows />
      )}
    </Drawer>
  );
}

function Details({ entry, onFilter }: { readonly entry: AuditRowFragment } & Pick<Props, 'onFilter'>): ReactNode {
  const { actor, target, address, userAgent, requestId, changes, createdAt, action } = entry;
  const actorId = actor.apiKey?.id ?? actor.user?.id;
  return (
    <div className="flex flex-col gap-3">
      <Facts
        facts={[
          ['Time', <Time key="at" at={createdAt} />],
          ['Actor', <ActorLink key="who" actor={actor} />],
          [
            'IP address',
            address ? (
              <span key="address" className="font-mono text-small">
                {address}
              </span>
            ) : (
              'None'
            ),
          ],
          [
            'Client',
            <span key="client" className="break-words">
              {userAgent ?? 'None'}
            </span>,
          ],
          [
            'Action',
            <code key="action" className="font-mono text-small">
              {action}
            </code>,
          ],
          [
            'Request',
            requestId ? (
              <span key="request" className="flex items-center gap-0.5 font-mono text-small">
                <span className="min-w-0 break-all">{requestId}</span>
                <CopyButton text={requestId} label="Copy request ID" />
              </span>
            ) : (
              'None'
            ),
          ],
        ]}
      />
      <Section title="Changes">
        <Changes changes={changes} />
      </Section>
      <div className="flex flex-wrap gap-1">
        {target.id ? (
          <Button onClick={() => onFilter({ target: target.id ?? undefined })}>All entries of this target</Button>
        ) : null}
        {actorId ? <Button onClick={() => onFilter({ actor: actorId })}>All entries by this actor</Button> : null}
        <Button onClick={() => onFilter({ action })}>All “{actionText(action)}” entries</Button>
      </div>
    </div>
  );
}

function ActorLink({ actor }: { readonly actor: AuditRowFragment['actor'] }): ReactNode {
  return (
    <span className="flex flex-wrap items-center gap-1">
      {actor.apiKey ? (
        <Link to="/keys" search={{ key: actor.apiKey.id }} className="text-accent underline underline-offset-2">
          {actor.label}
        </Link>
      ) : (
        <span className="wrap-anywhere">{actor.label}</span>
      )}
      {actor.kind === 'USER' ? null : <Badge>{words(actor.kind)}</Badge>}
    </span>
  );
}
