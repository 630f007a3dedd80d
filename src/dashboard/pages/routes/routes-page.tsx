import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, Route as RouteIcon } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ListTable, type ListColumn } from '../../design/list-table.tsx';
import { Page, Section } from '../../design/page.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { RoutesDocument, type RoutePartsFragment, type RoutesQuery } from '../../generated/graphql.ts';
import { RequirePermission } from '../../shell/notices/not-allowed.tsx';
import { usePermissions } from '../../shell/permissions.ts';
import { Preview } from './preview.tsx';
import { RouteDrawer } from './route-drawer.tsx';
import { orderNames, targetsText } from './route-texts.ts';
import type { RoutesSearch } from './search.ts';

type ServerRoute = RoutesQuery['serverRoutes'][number];

export function RoutesPage(): ReactNode {
  return (
    <RequirePermission action="routes.read" title="Routes" icon={<RouteIcon size={24} />}>
      <Routes />
    </RequirePermission>
  );
}

function Routes(): ReactNode {
  const search = useSearch({ from: '/shell/routes' });
  const navigate = useNavigate({ from: '/routes' });
  const { can } = usePermissions();
  const canWrite = can('routes.write');
  const { data, failure, refetch } = useQuery(RoutesDocument, {});
  // Remounts the preview when another route is chosen or a route is saved, so that its fields and data are reset.
  const [previewKey, setPreviewKey] = useState(0);
  const go = (next: RoutesSearch): void => {
    if ('preview' in next) setPreviewKey((before) => before + 1);
    void navigate({
      search: (before) => ({ ...before, edit: undefined, create: undefined, name: undefined, ...next }),
    });
  };
  const create = canWrite ? (
    <Button variant="primary" icon={<Plus size={16} aria-hidden />} onClick={() => go({ create: true })}>
      Create route
    </Button>
  ) : null;
  return (
    <Page
      title="Routes"
      lead="A route is one name for several models, with fallbacks, weights, or the cheapest or fastest model first."
      actions={create}
    >
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {data === null && !failure ? <SkeletonRows rows={6} /> : null}
      {data ? (
        <>
          <Section title="Account routes">
            {data.routes.length > 0 ? (
              <ListTable
                label="Account routes"
                rows={data.routes}
                columns={ownColumns}
                keyOf={({ id }) => id}
                nameOf={({ name }) => name}
                onOpen={({ name }) => (canWrite ? go({ edit: name, preview: name }) : go({ preview: name }))}
              />
            ) : (
              <Empty icon={<RouteIcon size={24} />} title="No routes yet" action={create}>
                Create a route named “fast” with two targets. When the first fails or is rate limited, the second
                handles the request, without changes to your programs.
              </Empty>
            )}
          </Section>
          {data.serverRoutes.length > 0 ? (
            <Section title="Operator’s routes, for all accounts">
              <ListTable
                label="Operator’s routes"
                rows={data.serverRoutes}
                columns={serverColumns(new Set(data.routes.map(({ name }) => name)))}
                keyOf={({ name }) => name}
                nameOf={({ name }) => name}
                onOpen={({ name }) => go({ preview: name })}
              />
            </Section>
          ) : null}
        </>
      ) : null}
      <Preview
        key={previewKey}
        search={search}
        onChange={(next) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true })}
      />
      <RouteDrawer
        route={(canWrite && data?.routes.find(({ name }) => name === search.edit)) || null}
        isNew={canWrite && search.create === true}
        newName={search.name ?? ''}
        names={data?.routes.map(({ name }) => name) ?? []}
        onClose={() => go({})}
        onSaved={(name) => {
          refetch();
          go({ preview: name });
        }}
        onDeleted={() => {
          refetch();
          go({ preview: undefined });
        }}
      />
    </Page>
  );
}

const ownColumns: readonly ListColumn<RoutePartsFragment>[] = [
  {
    name: 'targets',
    title: 'Targets',
    from: 'md',
    cell: ({ targets, order }) => <Targets text={targetsText(targets, order ?? null)} />,
  },
  { name: 'order', title: 'Order', cell: ({ order }) => (order ? orderNames[order] : 'Server default') },
  {
    name: 'changed',
    title: 'Changed',
    align: 'right',
    from: 'lg',
    cell: ({ updatedAt }) => (
      <span className="text-soft">
        <Time at={updatedAt} as="relative" />
      </span>
    ),
  },
];

function serverColumns(own: ReadonlySet<string>): readonly ListColumn<ServerRoute>[] {
  return [
    {
      name: 'targets',
      title: 'Targets',
      from: 'md',
      cell: ({ targets, order }) => <Targets text={targetsText(targets, order ?? null)} />,
    },
    {
      name: 'order',
      title: 'Order',
      cell: ({ order, name }) =>
        own.has(name) ? <Badge>Overridden</Badge> : order ? orderNames[order] : <Badge>Alias</Badge>,
    },
  ];
}

function Targets({ text }: { readonly text: string }): ReactNode {
  return <span className="block min-w-20 font-mono text-small wrap-anywhere">{text}</span>;
}
