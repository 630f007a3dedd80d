import { useNavigate, useSearch } from '@tanstack/react-router';
import { Layers, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, IconButton } from '../../design/button.tsx';
import { CodeSamples } from '../../design/code.tsx';
import { ListTable, type ListColumn } from '../../design/list-table.tsx';
import { Page } from '../../design/page.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import type { BatchPartsFragment } from '../../generated/graphql.ts';
import { RequirePermission } from '../../shell/notices/not-allowed.tsx';
import { useSampleModel } from '../keys/sample-model.ts';
import { BatchDrawer } from './batch-drawer.tsx';
import { Progress, StatusBadge } from './batch-status.tsx';
import { batchSamples } from './samples.ts';
import { useLiveBatches } from './use-live-batches.ts';

export function BatchesPage(): ReactNode {
  return (
    <RequirePermission action="batches.read" title="Batches" icon={<Layers size={24} />}>
      <Batches />
    </RequirePermission>
  );
}

function Batches(): ReactNode {
  const { batch: opened } = useSearch({ from: '/shell/batches' });
  const navigate = useNavigate({ from: '/batches' });
  const { nodes, hasMore, failure, liveFailure, fetchMore, refetch, live } = useLiveBatches();
  const open = (batch: string | undefined): void => void navigate({ search: () => ({ batch }) });
  return (
    <Page
      title="Batches"
      lead="Many requests in one, which run within 24 hours, where the server has room."
      actions={
        <IconButton label="Reload" onClick={refetch}>
          <RotateCw size={16} aria-hidden />
        </IconButton>
      }
    >
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {liveFailure ? <Failed failure={liveFailure} /> : null}
      {nodes === null && !failure ? <SkeletonRows rows={6} /> : null}
      {nodes?.length === 0 ? <NoBatches /> : null}
      {nodes && nodes.length > 0 ? (
        <ListTable
          label="Batches"
          rows={nodes}
          columns={columns}
          keyOf={({ id }) => id}
          nameOf={({ batchId }) => batchId}
          under={({ endpoint }) => endpoint}
          onOpen={({ batchId }) => open(batchId)}
        />
      ) : null}
      {hasMore ? (
        <div>
          <Button onClick={fetchMore}>Load more</Button>
        </div>
      ) : null}
      <BatchDrawer
        id={opened ?? null}
        known={nodes?.find(({ batchId }) => batchId === opened) ?? null}
        live={live}
        onClose={() => open(undefined)}
      />
    </Page>
  );
}

function NoBatches(): ReactNode {
  const model = useSampleModel(null);
  return (
    <>
      <Empty icon={<Layers size={24} />} title="No batches yet">
        Send one with an API key. It appears here, with the number of requests that have ended.
      </Empty>
      {model ? <CodeSamples samples={batchSamples(location.origin, model.id)} /> : null}
    </>
  );
}

const columns: readonly ListColumn<BatchPartsFragment>[] = [
  { name: 'progress', title: 'Requests', from: 'md', cell: (batch) => <Progress batch={batch} /> },
  { name: 'created', title: 'Created', from: 'md', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: 'ended',
    title: 'Ended',
    from: 'lg',
    cell: ({ endedAt }) => (endedAt == null ? <span className="text-soft">–</span> : <Time at={endedAt} />),
  },
  { name: 'status', title: 'Status', align: 'right', cell: ({ status }) => <StatusBadge status={status} /> },
];
