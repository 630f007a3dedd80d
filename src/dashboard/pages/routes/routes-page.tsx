import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, Route as RouteIcon } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useRead } from '../../data/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ListTable, type ListColumn } from '../../design/list-table.tsx';
import { Page, Section } from '../../design/page.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { RoutesDocument, type RoutePartsFragment, type RoutesQuery } from '../../generated/graphql.ts';
import { ForWhoMay } from '../../shell/not-allowed.tsx';
import { usePowers } from '../../shell/powers.ts';
import { Preview } from './preview.tsx';
import { RouteDrawer } from './route-drawer.tsx';
import { orderNames, targetsText } from './route-words.ts';
import type { RoutesSearch } from './search.ts';

type ServerRoute = RoutesQuery['serverRoutes'][number];

export function RoutesPage(): ReactNode {
  return (
    <ForWhoMay action="routes.read" title="Routes" icon={<RouteIcon size={24} />}>
      <Routes />
    </ForWhoMay>
  );
}

function Routes(): ReactNode {
  const search = useSearch({ from: '/signed/routes' });
  const navigate = useNavigate({ from: '/routes' });
  const { may } = usePowers();
  const mayWrite = may('routes.write');
  const { data, failure, again } = useRead(RoutesDocument, {});
  // What is previewed was chosen anew, or leads elsewhere now: the fields are filled and the server is asked again.
  const [turn, setTurn] = useState(0);
  const go = (next: RoutesSearch): void => {
    if ('preview' in next) setTurn((before) => before + 1);
    void navigate({ search: (before) => ({ ...before, edit: undefined, create: undefined, ...next }) });
  };
  const create = mayWrite ? (
    <Button look="primary" icon={<Plus size={16} aria-hidden />} onClick={() => go({ create: true })}>
      Make a route
    </Button>
  ) : null;
  return (
    <Page
      title="Routes"
      lead="A route is one name for several models: with fallbacks, weights, or the cheapest and fastest first."
      actions={create}
    >
      {failure ? <Failed failure={failure} again={again} /> : null}
      {data === null && !failure ? <SkeletonRows rows={6} /> : null}
      {data ? (
        <>
          <Section title="The account’s routes">
            {data.routes.length > 0 ? (
              <ListTable
                label="The account’s routes"
                rows={data.routes}
                columns={ownColumns}
                keyOf={({ id }) => id}
                nameOf={({ name }) => name}
                onOpen={({ name }) => (mayWrite ? go({ edit: name, preview: name }) : go({ preview: name }))}
              />
            ) : (
              <Empty icon={<RouteIcon size={24} />} title="No route yet" action={create}>
                Call it “fast” and let it lead to two models: when the first fails or limits, the second answers, and no
                program has to change.
              </Empty>
            )}
          </Section>
          {data.serverRoutes.length > 0 ? (
            <Section title="The operator’s, for all accounts">
              <ListTable
                label="The operator’s routes"
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
        key={turn}
        search={search}
        onChange={(next) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true })}
      />
      <RouteDrawer
        route={(mayWrite && data?.routes.find(({ name }) => name === search.edit)) || null}
        isNew={mayWrite && search.create === true}
        names={data?.routes.map(({ name }) => name) ?? []}
        onClose={() => go({})}
        onSaved={(name) => {
          again();
          go({ preview: name });
        }}
        onDeleted={() => {
          again();
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
  { name: 'order', title: 'Order', cell: ({ order }) => (order ? orderNames[order] : 'As the server') },
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
        own.has(name) ? <Badge>Replaced by yours</Badge> : order ? orderNames[order] : <Badge>Alias</Badge>,
    },
  ];
}

function Targets({ text }: { readonly text: string }): ReactNode {
  return <span className="block min-w-20 font-mono text-small wrap-anywhere">{text}</span>;
}
