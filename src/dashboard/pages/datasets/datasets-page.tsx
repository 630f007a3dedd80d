import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Database, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { usePages } from '../../data/graphql/pages.ts';
import { Button, buttonClass } from '../../design/button.tsx';
import { count, fileSize } from '../../design/format.ts';
import { ListTable, type ListColumn } from '../../design/list-table.tsx';
import { Meter } from '../../design/meter.tsx';
import { Drawer } from '../../design/overlay.tsx';
import { Page } from '../../design/page.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { DatasetsDocument, type DatasetPartsFragment, type DatasetsQuery } from '../../generated/graphql.ts';
import { RequirePermission } from '../../shell/notices/not-allowed.tsx';
import { usePermissions } from '../../shell/permissions.ts';
import { CreateDatasetForm } from './create-dataset-form.tsx';

const PAGE_SIZE = 50;

export function DatasetsPage(): ReactNode {
  return (
    <RequirePermission action="datasets.read" title="Datasets" icon={<Database size={24} />}>
      <Datasets />
    </RequirePermission>
  );
}

function Datasets(): ReactNode {
  const { create } = useSearch({ from: '/shell/datasets' });
  const navigate = useNavigate({ from: '/datasets' });
  const { can } = usePermissions();
  const canWrite = can('datasets.write');
  const { first, nodes, hasMore, failure, fetchMore, refetch } = usePages(
    DatasetsDocument,
    { first: PAGE_SIZE },
    ({ datasets }) => datasets,
  );
  const open = (id: string): void => void navigate({ to: '/datasets/$id', params: { id } });
  const button = canWrite ? (
    <Button
      variant="primary"
      icon={<Plus size={16} aria-hidden />}
      onClick={() => void navigate({ search: { create: true } })}
    >
      Create dataset
    </Button>
  ) : null;
  return (
    <Page
      title="Datasets"
      lead="Copies of logged requests, to evaluate models and to fine-tune them."
      actions={
        <>
          <Link to="/datasets/runs" className={buttonClass('quiet')}>
            All runs
          </Link>
          {button}
        </>
      }
    >
      {first ? <Storage storage={first.datasetStorage} /> : null}
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {nodes === null && !failure ? <SkeletonRows rows={5} /> : null}
      {nodes?.length === 0 ? (
        <Empty icon={<Database size={24} />} title="No datasets yet" action={button}>
          Create one, then select requests in Usage Logs and add them. Only requests with logged content can be added.
          Items are redacted and encrypted, and are kept until you remove them.
        </Empty>
      ) : null}
      {nodes && nodes.length > 0 ? (
        <ListTable
          label="Datasets"
          rows={nodes}
          columns={columns}
          keyOf={({ id }) => id}
          nameOf={({ name }) => name}
          onOpen={({ id }) => open(id)}
        />
      ) : null}
      {hasMore ? (
        <div>
          <Button onClick={fetchMore}>Load more</Button>
        </div>
      ) : null}
      <Drawer open={canWrite && create === true} onClose={() => void navigate({ search: {} })} title="Create dataset">
        <CreateDatasetForm onCreated={({ id }) => open(id)} />
      </Drawer>
    </Page>
  );
}

/** How much of the account's limits is used. */
function Storage({ storage }: { readonly storage: DatasetsQuery['datasetStorage'] }): ReactNode {
  const { itemCount, maxItems, usedBytes, maxBytes } = storage;
  const items = `${count(itemCount)} of ${count(maxItems)} items`;
  const bytes = `${fileSize(usedBytes)} of ${fileSize(maxBytes)} used`;
  return (
    <div className="figures flex flex-wrap gap-3">
      <div className="flex w-28 flex-col gap-0.5">
        <span className="text-soft">{items}</span>
        <Meter label="Items" used={itemCount} max={maxItems} text={items} />
      </div>
      <div className="flex w-28 flex-col gap-0.5">
        <span className="text-soft">{bytes}</span>
        <Meter label="Content" used={usedBytes} max={maxBytes} text={bytes} />
      </div>
    </div>
  );
}

const columns: readonly ListColumn<DatasetPartsFragment>[] = [
  { name: 'changed', title: 'Changed', from: 'md', cell: ({ updatedAt }) => <Time at={updatedAt} as="relative" /> },
  { name: 'created', title: 'Created', from: 'lg', cell: ({ createdAt }) => <Time at={createdAt} as="date" /> },
  {
    name: 'size',
    title: 'Size',
    from: 'md',
    align: 'right',
    cell: ({ bytes }) => <span className="figures whitespace-nowrap">{fileSize(bytes)}</span>,
  },
  {
    name: 'items',
    title: 'Items',
    align: 'right',
    cell: ({ itemCount }) => <span className="figures">{count(itemCount)}</span>,
  },
];
