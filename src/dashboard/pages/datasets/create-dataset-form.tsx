import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { textOf } from '../../data/form.ts';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Input } from '../../design/field.tsx';
import { Failed } from '../../design/state.tsx';
import { CreateDatasetDocument, type DatasetPartsFragment } from '../../generated/graphql.ts';

export function CreateDatasetForm({
  onCreated,
}: {
  readonly onCreated: (dataset: DatasetPartsFragment) => void;
}): ReactNode {
  const [create, pending] = useMutation(CreateDatasetDocument);
  const [failure, setFailure] = useState<Failure | null>(null);
  const submit = async (form: FormData): Promise<void> => {
    const result = await create({ name: textOf(form, 'name') });
    setFailure(result.failure);
    if (result.data) onCreated(result.data.createDataset);
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(new FormData(event.currentTarget));
      }}
    >
      <Input label="Name" name="name" required maxLength={200} placeholder="Support questions" />
      {failure ? <Failed failure={failure} /> : null}
      <div>
        <Button variant="primary" type="submit" pending={pending}>
          Create dataset
        </Button>
      </div>
    </form>
  );
}
