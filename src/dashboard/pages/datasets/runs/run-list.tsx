import { useNavigate } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import type { ReactNode } from 'react';
import { usePages, type Pages } from '../../../data/graphql/pages.ts';
import { useRefetchWhile } from '../../../data/graphql/refetch-while.ts';
import { Button } from '../../../design/button.tsx';
import { money } from '../../../design/format.ts';
import { ListTable, type ListColumn } from '../../../design/list-table.tsx';
import { Empty, Failed, SkeletonRows } from '../../../design/state.tsx';
import { Time } from '../../../design/time.tsx';
import {
  AllDatasetRunsDocument,
  DatasetRunsDocument,
  type AllDatasetRunsQuery,
  type DatasetRunPartsFragment,
} from '../../../generated/graphql.ts';
import { hasEnded, judgeCost, RunProgress, RunStatusBadge, sumOf, totalCost, untilEnded } from './run-status.tsx';

const PAGE_SIZE = 25;
const noRuns = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };

/** The runs of a dataset, newest first. */
export function DatasetRunList({
  datasetId,
  action,
}: {
  readonly datasetId: string;
  /** A button that starts a run; null where the viewer cannot. */
  readonly action: ReactNode;
}): ReactNode {
  const pages = usePages(
    DatasetRunsDocument,
    { id: datasetId, first: PAGE_SIZE },
    ({ dataset }) => dataset?.runs ?? noRuns,
  );
  return <RunList pages={pages} columns={columns} action={action} />;
}

/** The runs of the account, newest first, with their datasets. */
export function AllRunList(): ReactNode {
  const pages = usePages(AllDatasetRunsDocument, { first: PAGE_SIZE }, ({ datasetRuns }) => datasetRuns);
  return <RunList pages={pages} columns={columnsWithDataset} action={null} />;
}

function RunList<N extends DatasetRunPartsFragment>({
  pages: { nodes, hasMore, failure, isInFlight, fetchMore, refresh },
  columns: shown,
  action,
}: {
  readonly pages: Pages<unknown, N>;
  readonly columns: readonly ListColumn<N>[];
  readonly action: ReactNode;
}): ReactNode {
  const navigate = useNavigate();
  const isLive = nodes !== null && nodes.some((run) => !hasEnded(run));
  // As many pages are read each time, so that each minute reads as much.
  const firstMs = untilEnded.firstMs * Math.max(1, Math.ceil((nodes?.length ?? 0) / PAGE_SIZE));
  useRefetchWhile(isLive, { refetch: refresh, isInFlight, failure }, { ...untilEnded, firstMs });
  return (
    <>
      {failure ? <Failed failure={failure} onRetry={refresh} /> : null}
      {nodes === null && !failure ? <SkeletonRows rows={5} /> : null}
      {nodes?.length === 0 ? (
        <Empty icon={<FlaskConical size={24} />} title="No runs yet" action={action}>
          A run sends each item of a dataset to the models that you select, and compares their outputs, scores, latency
          and cost.
        </Empty>
      ) : null}
      {nodes && nodes.length > 0 ? (
        <ListTable
          label="Runs"
          rows={nodes}
          columns={shown}
          keyOf={({ id }) => id}
          nameOf={({ name }) => name}
          under={(run) => <Under run={run} />}
          onOpen={({ id: runId }) => void navigate({ to: '/datasets/runs/$runId', params: { runId } })}
        />
      ) : null}
      {hasMore ? (
        <div>
          <Button onClick={fetchMore}>Load more</Button>
        </div>
      ) : null}
    </>
  );
}

/** The models; on phones with what the columns show otherwise. */
function Under({ run: { models, createdAt } }: { readonly run: DatasetRunPartsFragment }): ReactNode {
  const cost = totalCost(models);
  return (
    <>
      {models.map(({ model }) => model).join(', ')}
      <div className="figures md:hidden">
        <Time at={createdAt} as="relative" />
        {cost === null ? '' : `, ${money(cost)}`}
        {isJudged(models) ? `, ${judgeText(models)}` : ''}
      </div>
    </>
  );
}

/** The cost of the judge, which that of the models does not contain. */
function judgeText(models: DatasetRunPartsFragment['models']): string {
  const cost = judgeCost(models);
  return `judge ${cost === null ? '–' : money(cost)}`;
}

function isJudged(models: DatasetRunPartsFragment['models']): boolean {
  return models.some(({ judge }) => judge != null);
}

const columns: readonly ListColumn<DatasetRunPartsFragment>[] = [
  {
    name: 'requests',
    title: 'Requests',
    from: 'md',
    cell: ({ models }) => <RunProgress counts={sumOf(models)} label="Requests that have ended" />,
  },
  {
    name: 'cost',
    title: 'Cost',
    from: 'md',
    align: 'right',
    cell: ({ models }) => {
      const cost = totalCost(models);
      return (
        <span className="figures">
          {cost === null ? '–' : money(cost)}
          {isJudged(models) ? <span className="block text-small text-soft">{judgeText(models)}</span> : null}
        </span>
      );
    },
  },
  { name: 'created', title: 'Created', from: 'md', cell: ({ createdAt }) => <Time at={createdAt} as="relative" /> },
  {
    name: 'by',
    title: 'By',
    from: 'lg',
    cell: ({ createdBy }) => <span className="wrap-anywhere">{createdBy?.name ?? '–'}</span>,
  },
  { name: 'status', title: 'Status', align: 'right', cell: ({ status }) => <RunStatusBadge status={status} /> },
];

type RunWithDataset = AllDatasetRunsQuery['datasetRuns']['nodes'][number];

const columnsWithDataset: readonly ListColumn<RunWithDataset>[] = [
  {
    name: 'dataset',
    title: 'Dataset',
    from: 'md',
    cell: ({ dataset }) =>
      dataset ? <span className="wrap-anywhere">{dataset.name}</span> : <span className="text-soft">Deleted</span>,
  },
  ...columns,
];
