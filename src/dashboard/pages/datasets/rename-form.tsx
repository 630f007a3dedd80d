import { useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Input } from '../../design/field.tsx';
import { useToast } from '../../design/toast.tsx';
import { RenameDatasetDocument } from '../../generated/graphql.ts';

export function RenameForm({ id, name }: { readonly id: string; readonly name: string }): ReactNode {
  const [rename, pending] = useMutation(RenameDatasetDocument);
  const [text, setText] = useState(name);
  const toast = useToast();
  return (
    <form
      className="flex max-w-60 min-w-0 flex-1 items-end gap-1"
      onSubmit={async (event) => {
        event.preventDefault();
        const { failure } = await rename({ id, name: text });
        if (failure) toast.failed(failure);
        else toast.done('Name saved.');
      }}
    >
      <div className="min-w-0 flex-1">
        <Input label="Name" required maxLength={200} value={text} onChange={({ target }) => setText(target.value)} />
      </div>
      {text.trim() === name ? null : (
        <Button type="submit" pending={pending}>
          Save
        </Button>
      )}
    </form>
  );
}
