import { Bookmark } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Drawer } from '../../design/overlay.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import {
  DeleteSavedViewDocument,
  UpdateSavedViewDocument,
  type SavedViewPartsFragment,
  type UpdateSavedViewInput,
} from '../../generated/graphql.ts';
import { usePermissions } from '../permissions.ts';
import { ViewRow } from './view-row.tsx';

/** Renames, replaces, shares and deletes the views of a page. */
export function ManageViews({
  open,
  onClose,
  onChanged,
  views,
  failure,
  search,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onChanged: () => void;
  /** Null while they are loaded. */
  readonly views: readonly SavedViewPartsFragment[] | null;
  readonly failure: Failure | null;
  /** Of what the page shows now. */
  readonly search: string;
}): ReactNode {
  const { can } = usePermissions();
  const [update] = useMutation(UpdateSavedViewDocument);
  const [remove] = useMutation(DeleteSavedViewDocument);
  const [refused, setRefused] = useState<Failure | null>(null);
  const ended = (result: { readonly failure: Failure | null }): boolean => {
    setRefused(result.failure);
    if (result.failure === null) onChanged();
    return result.failure === null;
  };
  const close = (): void => {
    setRefused(null);
    onClose();
  };
  const shown = refused ?? failure;
  return (
    <Drawer open={open} onClose={close} title="Saved views">
      {shown ? <Failed failure={shown} /> : null}
      {views === null ? (
        failure === null ? (
          <SkeletonRows rows={3} />
        ) : null
      ) : views.length === 0 ? (
        <Empty icon={<Bookmark size={24} />} title="No saved views">
          Choose filters and “Save this view”.
        </Empty>
      ) : (
        <ul className="flex flex-col">
          {views.map((view) => (
            <ViewRow
              key={view.id}
              view={view}
              isCurrent={view.search === search}
              canChange={!view.isShared || can('saved_views.share')}
              canShare={view.isOwn && can('saved_views.share')}
              onUpdate={async (input: UpdateSavedViewInput) => ended(await update({ id: view.id, input }))}
              onDelete={async () => ended(await remove({ id: view.id }))}
              search={search}
            />
          ))}
        </ul>
      )}
    </Drawer>
  );
}
