import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plug, Plus } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { useRange } from '../../data/range.ts';
import { Badge } from '../../design/badge.tsx';
import { Button, buttonClass } from '../../design/button.tsx';
import { count, duration, percent } from '../../design/format.ts';
import { ListTable, type ListColumn } from '../../design/list-table.tsx';
import { Page, Section } from '../../design/page.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import { ProvidersDocument, ProviderUsageDocument } from '../../generated/graphql.ts';
import { NotAllowed } from '../../shell/notices/not-allowed.tsx';
import { usePermissions } from '../../shell/permissions.ts';
import { useViewer } from '../../shell/viewer.ts';
import { ConnectDrawer } from './connect-drawer.tsx';
import { connectedProviders, type ConnectedProvider } from './connected-providers.ts';
import { HealthBadge } from './health-badge.tsx';
import { KnownProviders } from './known-providers.tsx';
import { ProviderDrawer } from './provider-drawer.tsx';
import { OTHER_SERVER, type ProvidersSearch } from './search.ts';

export function ProvidersPage(): ReactNode {
  const search = useSearch({ from: '/shell/providers' });
  const navigate = useNavigate({ from: '/providers' });
  const { currentAccount } = useViewer();
  const { can } = usePermissions();
  const canRead = can('connections.read');
  const { from, to } = useRange('24h', currentAccount);
  const { data, failure, refetch } = useQuery(ProvidersDocument, {}, { pause: !canRead });
  const usage = useQuery(ProviderUsageDocument, { range: { from, to } }, { pause: !canRead });
  const connected = useMemo(() => (data ? connectedProviders(data, usage.data) : []), [data, usage.data]);
  const go = (next: ProvidersSearch): void =>
    void navigate({ search: (before) => ({ search: before.search, ...next }) });
  const opened = connected.find(({ id }) => id === search.provider) ?? null;
  const own = new Set(data?.providerConnections.map(({ provider }) => provider));
  return (
    <Page
      title="Providers"
      lead="The services that run your requests. Your own API key takes precedence over the operator’s and is never shown again."
      actions={
        <>
          <Link to="/status" className={buttonClass()}>
            Status page
          </Link>
          {can('connections.write') ? (
            <Button
              variant="primary"
              icon={<Plus size={16} aria-hidden />}
              onClick={() => go({ connect: OTHER_SERVER })}
            >
              Connect a server
            </Button>
          ) : null}
        </>
      }
    >
      {canRead ? null : (
        <NotAllowed action="connections.read" icon={<Plug size={24} />}>
          Providers hold credentials. Ask an owner of the account to connect one, or to make you an admin.
        </NotAllowed>
      )}
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {canRead && data === null && !failure ? <SkeletonRows rows={8} /> : null}
      {data ? (
        <>
          <Section title="Connected">
            {connected.length > 0 ? (
              <ListTable
                label="Connected providers"
                rows={connected}
                columns={columns}
                keyOf={({ id }) => id}
                nameOf={({ name }) => name}
                under={({ id }) => <span className="font-mono">{id}/…</span>}
                onOpen={({ id }) => go({ provider: id })}
              />
            ) : (
              <Empty icon={<Plug size={24} />} title="No providers connected yet">
                Choose a provider below and enter your API key. Its models are available immediately.
              </Empty>
            )}
          </Section>
          <KnownProviders
            providers={data.providers.filter(({ id }) => !own.has(id))}
            search={search.search ?? ''}
            onSearch={(next) =>
              void navigate({ search: (before) => ({ ...before, search: next || undefined }), replace: true })
            }
            onChoose={(id) => go({ connect: id })}
          />
        </>
      ) : null}
      <ConnectDrawer
        chosen={search.connect ?? null}
        providers={data?.providers ?? []}
        onClose={() => go({})}
        onConnected={(id) => {
          refetch();
          go({ provider: id });
        }}
      />
      <ProviderDrawer
        provider={opened}
        onClose={() => go({})}
        onChanged={refetch}
        onConnect={(id) => go({ connect: id })}
      />
    </Page>
  );
}

const columns: readonly ListColumn<ConnectedProvider>[] = [
  {
    name: 'whose',
    title: 'Key',
    from: 'md',
    cell: ({ connection, id }) =>
      connection ? (
        <span className="font-mono text-small">{connection.credentialHint ?? 'None'}</span>
      ) : (
        <Badge>{id === 'sandbox' ? 'Built in' : 'Operator'}</Badge>
      ),
  },
  {
    name: 'models',
    title: 'Models',
    align: 'right',
    from: 'md',
    cell: ({ state }) => (state ? count(state.modelCount) : '–'),
  },
  {
    name: 'requests',
    title: 'Requests, 24 h',
    align: 'right',
    from: 'md',
    cell: ({ usage }) => (usage ? count(usage.requests) : '–'),
  },
  {
    name: 'failed',
    title: 'Failed',
    align: 'right',
    from: 'lg',
    cell: ({ usage }) => (usage ? percent(usage.errors, usage.requests) : '–'),
  },
  {
    name: 'latency',
    title: 'Median time',
    align: 'right',
    from: 'lg',
    cell: ({ usage }) => (usage?.latency ? duration(usage.latency.p50) : '–'),
  },
  { name: 'state', title: 'Status', align: 'right', cell: (row) => <HealthBadge provider={row} /> },
];
