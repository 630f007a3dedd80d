import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Database, Download } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { usePages } from '../../data/graphql/pages.ts';
import { inChunks } from '../../data/in-chunks.ts';
import { Button, buttonClass } from '../../design/button.tsx';
import { ConfirmButton } from '../../design/confirm-button.tsx';
import { count, fileSize } from '../../design/format.ts';
import { Menu } from '../../design/menu.tsx';
import { Page } from '../../design/page.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import { useToast } from '../../design/toast.tsx';
import {
  DatasetPageDocument,
  DeleteDatasetDocument,
  RemoveDatasetItemsDocument,
  type DatasetPartsFragment,
} from '../../generated/graphql.ts';
import { useDownload } from '../../shell/download.ts';
import { RequirePermission } from '../../shell/notices/not-allowed.tsx';
import { usePermissions } from '../../shell/permissions.ts';
import { DatasetItemDrawer } from './dataset-item-drawer.tsx';
import { DatasetItems } from './dataset-items.tsx';
import { RenameForm } from './rename-form.tsx';

const PAGE_SIZE = 50;
/** The server's limit. */
const MAX_REMOVED = 100;

export function DatasetPage(): ReactNode {
  const { id } = useParams({ from: '/shell/datasets/$id' });
  return (
    <RequirePermission action="datasets.read" title="Dataset" icon={<Database size={24} />}>
      <LoadedDataset key={id} id={id} />
    </RequirePermission>
  );
}

const noItems = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };

function LoadedDataset({ id }: { readonly id: string }): ReactNode {
  const { item: openId } = useSearch({ from: '/shell/datasets/$id' });
  const navigate = useNavigate({ from: '/datasets/$id' });
  const { can } = usePermissions();
  const canWrite = can('datasets.write');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [remove, isRemoving] = useMutation(RemoveDatasetItemsDocument);
  const toast = useToast();
  const { first, nodes, hasMore, failure, fetchMore, refetch } = usePages(
    DatasetPageDocument,
    { id, first: PAGE_SIZE },
    ({ dataset }) => dataset?.items ?? noItems,
  );
  const dataset = first?.dataset ?? null;
  const open = (item: string | undefined): void => void navigate({ search: { item } });
  const removeItems = async (itemIds: readonly string[]): Promise<void> => {
    const {
      results,
      failure: failed,
      rest,
    } = await inChunks(itemIds, MAX_REMOVED, (chunk) => remove({ id, itemIds: chunk }));
    if (failed) toast.failed(failed);
    if (results.length === 0) return;
    setSelected(new Set(rest));
    open(undefined);
    refetch();
  };
  if (dataset === null)
    return (
      <Page title="Dataset">
        {failure ? <Failed failure={failure} onRetry={refetch} /> : first ? <Missing /> : <SkeletonRows rows={8} />}
      </Page>
    );
  return (
    <Page
      title={dataset.name}
      lead={`${dataset.itemCount === 1 ? '1 item' : `${count(dataset.itemCount)} items`}, ${fileSize(dataset.bytes)}.`}
      actions={
        <>
          <Link to="/datasets" className={buttonClass('quiet')}>
            All datasets
          </Link>
          <ExportMenu id={id} />
        </>
      }
    >
      {canWrite ? <Changes dataset={dataset} /> : null}
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {nodes?.length === 0 ? (
        <Empty
          icon={<Database size={24} />}
          title="No items yet"
          action={
            <Link to="/billing/usage" className={buttonClass()}>
              Select requests in Usage Logs
            </Link>
          }
        >
          In Usage Logs, choose “Select”, then “Add to dataset”, or open a request and add it there.
        </Empty>
      ) : null}
      {nodes && nodes.length > 0 ? (
        <>
          {canWrite && selected.size > 0 ? (
            <div role="toolbar" aria-label="Selected items" className="flex flex-wrap items-center gap-1">
              <span className="figures flex-1">{count(selected.size)} selected</span>
              <Button onClick={() => setSelected(new Set())}>Clear</Button>
              <ConfirmButton
                label="Remove"
                title={selected.size === 1 ? 'Remove 1 item?' : `Remove ${count(selected.size)} items?`}
                description="Their content is deleted from the dataset. The usage log remains."
                confirm="Remove"
                pending={isRemoving}
                onConfirm={() => removeItems([...selected])}
              />
            </div>
          ) : null}
          <DatasetItems
            items={nodes}
            selected={canWrite ? selected : null}
            onSelected={setSelected}
            onOpen={(item) => open(item)}
          />
        </>
      ) : null}
      {hasMore ? (
        <div>
          <Button onClick={fetchMore}>Load more</Button>
        </div>
      ) : null}
      <DatasetItemDrawer id={openId} items={nodes} onClose={() => open(undefined)} />
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
        description="The dataset and its items are deleted and cannot be restored. The usage log remains."
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

const formats = [
  { format: 'plain', label: 'Input, output and metadata' },
  { format: 'openai-fine-tuning', label: 'OpenAI fine-tuning' },
  { format: 'openai-evals', label: 'OpenAI evals' },
] as const;

function ExportMenu({ id }: { readonly id: string }): ReactNode {
  const download = useDownload();
  return (
    <Menu
      align="end"
      trigger={<Button icon={<Download size={16} aria-hidden />}>Export</Button>}
      groups={[
        {
          title: 'JSON Lines',
          items: formats.map(({ format, label }) => ({
            label,
            onSelect: () => location.assign(download('/exports/dataset.jsonl', { id, format })),
          })),
        },
      ]}
    />
  );
}
