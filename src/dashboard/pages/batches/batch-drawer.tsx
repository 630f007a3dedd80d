import type { ReactNode } from 'react';
import { useMutation, useQuery } from '../../data/graphql/hooks.ts';
import { DownloadButton } from '../../design/download-button.tsx';
import { ConfirmButton } from '../../design/confirm-button.tsx';
import { CopyLine } from '../../design/code.tsx';
import { Drawer } from '../../design/overlay.tsx';
import { Facts } from '../../design/page.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { useToast } from '../../design/toast.tsx';
import { CancelBatchDocument, OpenedBatchDocument, type BatchPartsFragment } from '../../generated/graphql.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { errorText, Progress, StatusBadge } from './batch-status.tsx';

export function BatchDrawer({
  id,
  known,
  live,
  onClose,
}: {
  /** The ID in the REST API; null when closed. */
  readonly id: string | null;
  /** The batch, where the list has it. */
  readonly known: BatchPartsFragment | null;
  /** Replaces a batch by its latest state. */
  readonly live: (batch: BatchPartsFragment) => BatchPartsFragment;
  readonly onClose: () => void;
}): ReactNode {
  const { data, failure, refetch } = useQuery(OpenedBatchDocument, { id: id ?? '' }, { pause: id === null || !!known });
  const read = data?.batch.batchId === id ? data?.batch : undefined;
  const batch = known ?? (read && live(read));
  return (
    <Drawer open={id !== null} onClose={onClose} title="Batch">
      {batch ? <Details batch={batch} /> : failure ? <Failed failure={failure} onRetry={refetch} /> : <SkeletonRows />}
    </Drawer>
  );
}

function Details({ batch }: { readonly batch: BatchPartsFragment }): ReactNode {
  const { batchId, endpoint, status, createdAt, endedAt, expiresAt } = batch;
  const { can } = usePermissions();
  return (
    <div className="flex flex-col gap-3">
      <CopyLine text={batchId} label="Copy the batch ID" />
      <Facts
        facts={[
          ['Status', <StatusBadge key="status" status={status} />],
          ['Requests', <Progress key="progress" batch={{ ...batch, errors: [] }} />],
          ['Endpoint', <code key="endpoint">{endpoint}</code>],
          ['Created', <Time key="created" at={createdAt} />],
          endedAt == null
            ? ['Expires', <Time key="expires" at={expiresAt} />]
            : ['Ended', <Time key="ended" at={endedAt} />],
        ]}
      />
      <Errors batch={batch} />
      <Downloads batch={batch} />
      {endedAt == null && status !== 'CANCELLING' && can('batches.write') ? <Cancel batch={batch} /> : null}
    </div>
  );
}

/** Why the input file was rejected. */
function Errors({ batch: { errors } }: { readonly batch: BatchPartsFragment }): ReactNode {
  if (errors.length === 0) return null;
  return (
    <section aria-labelledby="batch-errors" className="flex flex-col gap-1">
      <h3 id="batch-errors" className="text-large">
        Errors of the input file
      </h3>
      <p className="text-soft">No request has run, and nothing is billed. Correct the file and create another batch.</p>
      <ul className="flex flex-col gap-1">
        {errors.map((error) => (
          <li key={`${error.line} ${error.code} ${error.message}`} className="wrap-anywhere">
            <span className="text-bad">{errorText(error)}</span> <code className="text-soft">{error.code}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Downloads({
  batch: { batchId, inputFileId, outputFileId, errorFileId, endedAt, total },
}: {
  readonly batch: BatchPartsFragment;
}): ReactNode {
  const isMessageBatch = inputFileId == null;
  const files = [
    ['Input file', inputFileId],
    ['Output file', outputFileId],
    ['Error file', errorFileId],
  ] as const;
  return (
    <div className="flex flex-wrap gap-1">
      {files.map(([label, id]) =>
        id == null ? null : (
          <DownloadButton key={label} path={`/v1/files/${id}/content`} name={`${id}.jsonl`} label={label} />
        ),
      )}
      {isMessageBatch && endedAt != null && total > 0 ? (
        <DownloadButton path={`/v1/messages/batches/${batchId}/results`} name={`${batchId}.jsonl`} label="Results" />
      ) : null}
    </div>
  );
}

function Cancel({ batch: { id } }: { readonly batch: BatchPartsFragment }): ReactNode {
  const [cancel, pending] = useMutation(CancelBatchDocument);
  const toast = useToast();
  const run = async (): Promise<void> => {
    const { failure } = await cancel({ id });
    if (failure) toast.failed(failure);
    else toast.done('No more requests of the batch are started.');
  };
  return (
    <div>
      <ConfirmButton
        label="Cancel batch"
        title="Cancel this batch?"
        description="Requests that are running end and are billed. The others are not started. Results so far are kept."
        confirm="Cancel batch"
        cancel="Keep running"
        pending={pending}
        onConfirm={run}
      />
    </div>
  );
}
