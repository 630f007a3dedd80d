import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMutation } from '../../../data/graphql/hooks.ts';
import { buttonClass } from '../../../design/button.tsx';
import { ConfirmButton } from '../../../design/confirm-button.tsx';
import { useToast } from '../../../design/toast.tsx';
import {
  CancelDatasetRunDocument,
  DeleteDatasetRunDocument,
  type DatasetRunPageQuery,
} from '../../../generated/graphql.ts';
import { usePermissions } from '../../../shell/permissions.ts';
import { hasEnded } from './run-status.tsx';

type Run = NonNullable<DatasetRunPageQuery['datasetRun']>;

/** Cancels a run, starts another one with its models and settings, and deletes it. */
export function RunActions({
  run,
  datasetId,
}: {
  readonly run: Run;
  /** Null after it was deleted. */
  readonly datasetId: string | null;
}): ReactNode {
  const canRun = usePermissions().can('completions.run');
  const isEnded = hasEnded(run);
  return (
    <>
      {isEnded && canRun && datasetId !== null ? (
        <Link
          to="/datasets/$id"
          params={{ id: datasetId }}
          search={{
            tab: 'runs',
            start: true,
            models: run.models.map(({ model }) => model),
            scorers: run.scorers.length > 0 ? run.scorers : undefined,
            temperature: run.temperature ?? undefined,
            maxTokens: run.maxTokens ?? undefined,
            judge: run.judge?.model,
            rubric: run.judge?.rubric,
            passFail: run.judge?.scale === 'PASS_FAIL' ? true : undefined,
          }}
          className={buttonClass()}
        >
          Run again
        </Link>
      ) : null}
      {isEnded || run.status === 'CANCELLING' ? null : <CancelRun id={run.id} />}
      <DeleteRun run={run} datasetId={datasetId} />
    </>
  );
}

function CancelRun({ id }: { readonly id: string }): ReactNode {
  const [cancel, pending] = useMutation(CancelDatasetRunDocument);
  const toast = useToast();
  return (
    <ConfirmButton
      label="Cancel run"
      title="Cancel this run?"
      description="Requests that are running end and are billed. The others are not started. Results so far are kept."
      confirm="Cancel run"
      cancel="Keep running"
      pending={pending}
      onConfirm={async () => {
        const { failure } = await cancel({ id });
        if (failure) toast.failed(failure);
        else toast.done('No more requests of the run are started.');
      }}
    />
  );
}

function DeleteRun({
  run: { id, name, status },
  datasetId,
}: {
  readonly run: Run;
  readonly datasetId: string | null;
}): ReactNode {
  const [remove, pending] = useMutation(DeleteDatasetRunDocument);
  const navigate = useNavigate();
  const toast = useToast();
  return (
    <ConfirmButton
      label="Delete run"
      title={`Delete ${name}?`}
      description={`The run and its results are deleted and cannot be restored. The usage log remains.${hasEnded({ status }) ? '' : ' Requests that are running end and are billed.'}`}
      confirm="Delete run"
      pending={pending}
      onConfirm={async () => {
        const { failure } = await remove({ id });
        if (failure) toast.failed(failure);
        else if (datasetId === null) void navigate({ to: '/datasets/runs' });
        else void navigate({ to: '/datasets/$id', params: { id: datasetId }, search: { tab: 'runs' } });
      }}
    />
  );
}
