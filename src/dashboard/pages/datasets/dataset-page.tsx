import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Database, FlaskConical } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMutation, useQuery } from '../../data/graphql/hooks.ts';
import { Button, buttonClass } from '../../design/button.tsx';
import { ConfirmButton } from '../../design/confirm-button.tsx';
import { count, fileSize } from '../../design/format.ts';
import { Drawer } from '../../design/overlay.tsx';
import { Page } from '../../design/page.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useToast } from '../../design/toast.tsx';
import { DatasetHeadDocument, DeleteDatasetDocument, type DatasetPartsFragment } from '../../generated/graphql.ts';
import { RequirePermission } from '../../shell/notices/not-allowed.tsx';
import { usePermissions } from '../../shell/permissions.ts';
import { ExportMenu } from './export-menu.tsx';
import { ItemList } from './item-list.tsx';
import { RenameForm } from './rename-form.tsx';
import { DatasetRunList } from './runs/run-list.tsx';
import { StartRunForm } from './runs/start/start-run-form.tsx';
import type { DatasetSearch } from './search.ts';

export function DatasetPage(): ReactNode {
  const { id } = useParams({ from: '/shell/datasets/$id' });
  return (
    <RequirePermission action="datasets.read" title="Dataset" icon={<Database size={24} />}>
      <LoadedDataset key={id} id={id} />
    </RequirePermission>
  );
}

function LoadedDataset({ id }: { readonly id: string }): ReactNode {
  const search = useSearch({ from: '/shell/datasets/$id' });
  const navigate = useNavigate({ from: '/datasets/$id' });
  const { can } = usePermissions();
  const { data, failure, refetch } = useQuery(DatasetHeadDocument, { id });
  const dataset = data?.dataset ?? null;
  const canWrite = can('datasets.write');
  const canRun = can('completions.run');
  const isEmpty = dataset?.itemCount === 0;
  const change = (next: Partial<DatasetSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...next }) });
  const run = canRun ? (
    <Button
      variant="primary"
      icon={<FlaskConical size={16} aria-hidden />}
      disabled={isEmpty}
      onClick={() => change({ start: true })}
    >
      Run against models
    </Button>
  ) : null;
  if (dataset === null)
    return (
      <Page title="Dataset">
        {failure ? <Failed failure={failure} onRetry={refetch} /> : data ? <Missing /> : <SkeletonRows rows={8} />}
      </Page>
    );
  return (
    <Page
      title={dataset.name}
      lead={`${dataset.itemCount === 1 ? '1 item' : `${count(dataset.itemCount)} items`}, ${fileSize(dataset.bytes)}.${isEmpty && canRun ? ' Add items to run it against models.' : ''}`}
      actions={
        <>
          <Link to="/datasets" className={buttonClass('quiet')}>
            All datasets
          </Link>
          <ExportMenu id={id} />
          {run}
        </>
      }
    >
      {canWrite ? <Changes dataset={dataset} /> : null}
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      <Tabs
        label="Parts of the dataset"
        chosen={search.tab ?? 'items'}
        onChoose={(tab) => change({ tab: tab === 'runs' ? tab : undefined })}
        tabs={[
          {
            name: 'items',
            label: 'Items',
            content: (
              <div className="flex flex-col gap-3 pt-2">
                <ItemList id={id} openId={search.item} onOpen={(item) => change({ item })} />
              </div>
            ),
          },
          {
            name: 'runs',
            label: 'Runs',
            content: (
              <div className="flex flex-col gap-3 pt-2">
                <DatasetRunList datasetId={id} action={run} />
              </div>
            ),
          },
        ]}
      />
      <Drawer
        open={canRun && search.start === true}
        onClose={() =>
          change({
            start: undefined,
            models: undefined,
            scorers: undefined,
            temperature: undefined,
            maxTokens: undefined,
            judge: undefined,
            rubric: undefined,
            passFail: undefined,
          })
        }
        title="Run against models"
        description="Sends each item of the dataset to each model. The requests are billed like others."
      >
        <StartRunForm
          datasetId={id}
          itemCount={dataset.itemCount}
          models={search.models ?? []}
          defaults={search}
          onJudge={(judge) => change({ judge })}
          onModels={(models) => change({ models: models.length > 0 ? models : undefined })}
          onStarted={(runId) => void navigate({ to: '/datasets/runs/$runId', params: { runId } })}
        />
      </Drawer>
    </Page>
  );
}

function Missing(): ReactNode {
  return (
    <p>
      Dataset not found in this account.{' '}
      <Link to="/datasets" className="text-accent underline underline-offset-2">
        Show all datasets
      </Link>
      .
    </p>
  );
}

function Changes({ dataset: { id, name } }: { readonly dataset: DatasetPartsFragment }): ReactNode {
  const [remove, pending] = useMutation(DeleteDatasetDocument);
  const navigate = useNavigate();
  const toast = useToast();
  return (
    <div className="flex flex-wrap items-end justify-between gap-1">
      <RenameForm key={name} id={id} name={name} />
      <ConfirmButton
        label="Delete dataset"
        title={`Delete ${name}?`}
        description="The dataset, its items, and the inputs and outputs of its runs are deleted and cannot be restored. Runs that have not ended are cancelled. The figures of the runs and the usage log remain."
        confirm="Delete dataset"
        pending={pending}
        onConfirm={async () => {
          const { failure } = await remove({ id });
          if (failure) toast.failed(failure);
          else void navigate({ to: '/datasets' });
        }}
      />
    </div>
  );
}
