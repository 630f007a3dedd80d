import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download, History, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { usePages } from '../../data/graphql/pages.ts';
import { Button, IconButton } from '../../design/button.tsx';
import { Menu } from '../../design/menu.tsx';
import { Page } from '../../design/page.tsx';
import { VirtualRows } from '../../design/rows.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import { AuditLogDocument } from '../../generated/graphql.ts';
import { useDownload } from '../../shell/download.ts';
import { RequirePermission } from '../../shell/notices/not-allowed.tsx';
import { auditColumns } from './audit-columns.tsx';
import { AuditDrawer } from './audit-drawer.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { startOfDay, type AuditSearch } from './search.ts';

const PAGE_SIZE = 100;

export function AuditPage(): ReactNode {
  return (
    <RequirePermission action="audit.read" title="Audit" icon={<History size={24} />}>
      <Audit />
    </RequirePermission>
  );
}

function Audit(): ReactNode {
  const search = useSearch({ from: '/shell/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const filter = {
    actor: search.actor,
    action: search.action,
    target: search.target,
    since: startOfDay(search.since),
    until: startOfDay(search.until, true),
  };
  const { nodes, hasMore, failure, fetchMore, refetch } = usePages(
    AuditLogDocument,
    { filter, first: PAGE_SIZE },
    ({ auditLog }) => auditLog,
  );
  const change = (next: Partial<AuditSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  return (
    <Page
      title="Audit"
      lead="Every change in this account: the actor, the IP address, and the values before and after. Entries cannot be changed."
      actions={
        <>
          <IconButton label="Reload" onClick={refetch}>
            <RotateCw size={16} aria-hidden />
          </IconButton>
          <ExportMenu since={filter.since} until={filter.until} />
        </>
      }
    >
      <AuditFilters search={search} onChange={change} />
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {nodes === null && !failure ? <SkeletonRows rows={10} /> : null}
      {nodes?.length === 0 ? (
        <Empty icon={<History size={24} />} title="No matching entries">
          Change or clear the filters. New entries appear here immediately.
        </Empty>
      ) : null}
      {nodes && nodes.length > 0 ? (
        <VirtualRows
          label="Audit log"
          rows={nodes}
          columns={auditColumns}
          keyOf={({ id }) => id}
          onOpen={({ id }) => void navigate({ search: (before) => ({ ...before, entry: id }) })}
          onNearEnd={hasMore ? fetchMore : undefined}
          opened={search.entry ?? null}
        />
      ) : null}
      <AuditDrawer
        id={search.entry ?? null}
        known={nodes?.find(({ id }) => id === search.entry) ?? null}
        onClose={() => void navigate({ search: (before) => ({ ...before, entry: undefined }) })}
        onFilter={(next) => void navigate({ search: next })}
      />
    </Page>
  );
}

const formats = ['csv', 'jsonl'] as const;

function ExportMenu({ since, until }: { readonly since?: string; readonly until?: string }): ReactNode {
  const download = useDownload();
  return (
    <Menu
      align="end"
      trigger={<Button icon={<Download size={16} aria-hidden />}>Export</Button>}
      groups={[
        {
          title: since || until ? 'Entries of the selected days' : 'All entries',
          items: formats.map((format) => ({
            label: format.toUpperCase(),
            onSelect: () => location.assign(download(`/exports/audit.${format}`, { from: since, to: until })),
          })),
        },
      ]}
    />
  );
}
