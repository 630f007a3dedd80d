import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Failure } from '../../../data/failure.ts';
import { useMutation, useQuery } from '../../../data/graphql/hooks.ts';
import { inChunks } from '../../../data/in-chunks.ts';
import { Button } from '../../../design/button.tsx';
import { Select } from '../../../design/field.tsx';
import { count } from '../../../design/format.ts';
import { Dialog } from '../../../design/overlay.tsx';
import { Failed, SkeletonRows } from '../../../design/state.tsx';
import { AddToDatasetDocument, DatasetsDocument, type AddToDatasetMutation } from '../../../generated/graphql.ts';
import { CreateDatasetForm } from '../../datasets/create-dataset-form.tsx';

const MAX_CHOICES = 100;
/** The server's limit. */
const MAX_ADDED = 100;

/** Adds requests to a dataset, which can be created here. */
export function AddToDataset({
  ids,
  open,
  onClose,
}: {
  /** Of usage logs. */
  readonly ids: readonly string[];
  readonly open: boolean;
  /** @param isAdded whether they were added */
  readonly onClose: (isAdded: boolean) => void;
}): ReactNode {
  const [added, setAdded] = useState<Added | null>(null);
  const close = (): void => {
    onClose(added !== null);
    setAdded(null);
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title={ids.length === 1 ? 'Add 1 request to a dataset' : `Add ${count(ids.length)} requests to a dataset`}
      description="Their redacted content is copied, and kept until it is removed from the dataset."
    >
      {added === null ? <Choice ids={ids} onAdded={setAdded} /> : <Result added={added} onClose={close} />}
    </Dialog>
  );
}

interface Added {
  readonly dataset: AddToDatasetMutation['addToDataset']['dataset'];
  readonly added: number;
  readonly skipped: AddToDatasetMutation['addToDataset']['skipped'];
  /** Why the last of them were not added. */
  readonly failure: Failure | null;
  /** Number of requests that were not added after the failure. */
  readonly missing: number;
}

function Choice({
  ids,
  onAdded,
}: {
  readonly ids: readonly string[];
  readonly onAdded: (added: Added) => void;
}): ReactNode {
  const { data, failure, refetch } = useQuery(DatasetsDocument, { first: MAX_CHOICES }, { policy: 'network-only' });
  const [add, pending] = useMutation(AddToDatasetDocument);
  const [chosen, setChosen] = useState<string | null>(null);
  const [addFailure, setAddFailure] = useState<Failure | null>(null);
  const datasets = data?.datasets.nodes ?? null;
  const datasetId = chosen ?? datasets?.[0]?.id ?? null;
  const submit = async (to: string): Promise<void> => {
    const sent = await inChunks(ids, MAX_ADDED, (usageLogIds) => add({ input: { datasetId: to, usageLogIds } }));
    const all = sent.results.map(({ addToDataset }) => addToDataset);
    const last = all.at(-1);
    setAddFailure(sent.failure);
    if (last === undefined) return;
    const added = all.reduce((sum, each) => sum + each.added, 0);
    const skipped = all.flatMap((each) => each.skipped);
    onAdded({ dataset: last.dataset, added, skipped, failure: sent.failure, missing: sent.rest.length });
  };
  if (failure) return <Failed failure={failure} onRetry={refetch} />;
  if (datasets === null) return <SkeletonRows rows={2} />;
  return (
    <div className="flex flex-col gap-3">
      {datasetId === null || chosen === '' ? null : (
        <form
          className="flex flex-col gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            void submit(datasetId);
          }}
        >
          <Select label="Dataset" value={datasetId} onChange={({ target }) => setChosen(target.value)}>
            {datasets.map(({ id, name, itemCount }) => (
              <option key={id} value={id}>
                {name} ({count(itemCount)})
              </option>
            ))}
          </Select>
          {addFailure ? <Failed failure={addFailure} /> : null}
          <div className="flex flex-wrap gap-1">
            <Button variant="primary" type="submit" pending={pending}>
              Add
            </Button>
            <Button onClick={() => setChosen('')}>New dataset</Button>
          </div>
        </form>
      )}
      {datasetId === null || chosen === '' ? (
        <>
          <CreateDatasetForm
            onCreated={({ id }) => {
              refetch();
              setChosen(id);
              void submit(id);
            }}
          />
          {addFailure ? <Failed failure={addFailure} /> : null}
        </>
      ) : null}
    </div>
  );
}

function Result({
  added: { dataset, added, skipped, failure, missing },
  onClose,
}: {
  readonly added: Added;
  readonly onClose: () => void;
}): ReactNode {
  const reasons = [...Map.groupBy(skipped, ({ reason }) => reason)];
  return (
    <div className="flex flex-col gap-2">
      <p role="status">
        {added === 1 ? '1 item' : `${count(added)} items`} added to{' '}
        <Link
          to="/datasets/$id"
          params={{ id: dataset.id }}
          className="text-accent underline underline-offset-2 wrap-anywhere"
        >
          {dataset.name}
        </Link>
        .
      </p>
      {failure ? (
        <>
          <p className="text-warn">{count(missing)} not added:</p>
          <Failed failure={failure} />
        </>
      ) : null}
      {reasons.length > 0 ? (
        <section aria-label="Skipped requests" className="flex flex-col gap-0.5">
          <p className="text-warn">{count(skipped.length)} skipped:</p>
          <ul className="list-disc pl-2 wrap-anywhere">
            {reasons.map(([reason, requests]) => (
              <li key={reason}>
                {reason} ({count(requests.length)})
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <div>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}
