import type { ReactNode } from 'react';
import { useMutation, useQuery } from '../../data/graphql/hooks.ts';
import { ConfirmButton } from '../../design/confirm-button.tsx';
import { CopyLine } from '../../design/code.tsx';
import { DownloadButton } from '../../design/download-button.tsx';
import { count, fileSize } from '../../design/format.ts';
import { Drawer } from '../../design/overlay.tsx';
import { Facts } from '../../design/page.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { useToast } from '../../design/toast.tsx';
import { DeleteFileDocument, OpenedFileDocument, type FilePartsFragment } from '../../generated/graphql.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { purposeNames } from './purposes.ts';

export function FileDrawer({
  id,
  known,
  onClose,
  onDeleted,
}: {
  /** The ID in the REST API; null when closed. */
  readonly id: string | null;
  /** The file, where the list has it. */
  readonly known: FilePartsFragment | null;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}): ReactNode {
  const { data, failure, refetch } = useQuery(OpenedFileDocument, { id: id ?? '' }, { pause: id === null || !!known });
  const file = known ?? (data?.file.fileId === id ? data?.file : undefined);
  return (
    <Drawer open={id !== null} onClose={onClose} title={file?.filename ?? 'File'}>
      {file ? (
        <Details file={file} onDeleted={onDeleted} />
      ) : failure ? (
        <Failed failure={failure} onRetry={refetch} />
      ) : (
        <SkeletonRows />
      )}
    </Drawer>
  );
}

function Details({
  file: { id, fileId, filename, bytes, purpose, createdAt, expiresAt },
  onDeleted,
}: {
  readonly file: FilePartsFragment;
  readonly onDeleted: () => void;
}): ReactNode {
  const { can } = usePermissions();
  return (
    <div className="flex flex-col gap-3">
      <CopyLine text={fileId} label="Copy the file ID" />
      <Facts
        facts={[
          ['Purpose', purposeNames[purpose]],
          ['Size', `${fileSize(bytes)} (${count(bytes)} bytes)`],
          ['Created', <Time key="created" at={createdAt} />],
          ['Expires', expiresAt == null ? 'Never' : <Time key="expires" at={expiresAt} />],
        ]}
      />
      <div className="flex flex-wrap gap-1">
        <DownloadButton path={`/v1/files/${fileId}/content`} name={filename} label="Download" />
        {can('files.write') ? <Delete id={id} filename={filename} onDeleted={onDeleted} /> : null}
      </div>
    </div>
  );
}

function Delete({
  id,
  filename,
  onDeleted,
}: Pick<FilePartsFragment, 'id' | 'filename'> & { readonly onDeleted: () => void }): ReactNode {
  const [remove, pending] = useMutation(DeleteFileDocument);
  const toast = useToast();
  const run = async (): Promise<void> => {
    const { failure } = await remove({ id });
    if (failure) toast.failed(failure);
    else {
      toast.done('File deleted.');
      onDeleted();
    }
  };
  return (
    <ConfirmButton
      label="Delete"
      title={`Delete ${filename}?`}
      description="Requests and batches that name the file fail from then on. It cannot be restored."
      confirm="Delete file"
      pending={pending}
      onConfirm={run}
    />
  );
}
