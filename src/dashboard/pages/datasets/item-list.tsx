import { Link } from '@tanstack/react-router';
import { Database } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { usePages } from '../../data/graphql/pages.ts';
import { inChunks } from '../../data/in-chunks.ts';
import { Button, buttonClass } from '../../design/button.tsx';
import { ConfirmButton } from '../../design/confirm-button.tsx';
import { count } from '../../design/format.ts';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import { useToast } from '../../design/toast.tsx';
import { DatasetItemsDocument, RemoveDatasetItemsDocument } from '../../generated/graphql.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { DatasetItemDrawer } from './dataset-item-drawer.tsx';
import { DatasetItems } from './dataset-items.tsx';

const PAGE_SIZE = 50;
/** The server's limit. */
const MAX_REMOVED = 100;
const noItems = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };

/** The items of a dataset, which can be removed. */
export function ItemList({
  id,
  openId,
  onOpen,
}: {
  readonly id: string;
  /** The item whose content is open. */
  readonly openId: string | undefined;
  readonly onOpen: (item: string | undefined) => void;
}): ReactNode {
  const canWrite = usePermissions().can('datasets.write');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [remove, isRemoving] = useMutation(RemoveDatasetItemsDocument);
  const toast = useToast();
  const { nodes, hasMore, failure, fetchMore, refetch } = usePages(
    DatasetItemsDocument,
    { id, first: PAGE_SIZE },
    ({ dataset }) => dataset?.items ?? noItems,
  );
  const removeItems = async (itemIds: readonly string[]): Promise<void> => {
    const {
      results,
      failure: failed,
      rest,
    } = await inChunks(itemIds, MAX_REMOVED, (chunk) => remove({ id, itemIds: chunk }));
    if (failed) toast.failed(failed);
    if (results.length === 0) return;
    setSelected(new Set(rest));
    onOpen(undefined);
    refetch();
  };
  return (
    <>
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {nodes === null && !failure ? <SkeletonRows rows={6} /> : null}
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
                description="Their content is deleted from the dataset. Runs keep the outputs of these items, until the dataset is deleted. The usage log remains."
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
            onOpen={(item) => onOpen(item)}
          />
        </>
      ) : null}
      {hasMore ? (
        <div>
          <Button onClick={fetchMore}>Load more</Button>
        </div>
      ) : null}
      <DatasetItemDrawer id={openId} items={nodes} onClose={() => onOpen(undefined)} />
    </>
  );
}
