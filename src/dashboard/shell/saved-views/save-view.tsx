import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { textOf } from '../../data/form.ts';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Checkbox, Input } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Dialog } from '../../design/overlay.tsx';
import { Failed } from '../../design/state.tsx';
import { CreateSavedViewDocument, type SavedViewPage } from '../../generated/graphql.ts';
import { usePermissions } from '../permissions.ts';

/** Saves what the page shows under a name. */
export function SaveView({
  open,
  onClose,
  onSaved,
  page,
  search,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onSaved: () => void;
  readonly page: SavedViewPage;
  readonly search: string;
}): ReactNode {
  const { can, rolesAllowedTo } = usePermissions();
  const [create, pending] = useMutation(CreateSavedViewDocument);
  const [failure, setFailure] = useState<Failure | null>(null);
  const close = (): void => {
    setFailure(null);
    onClose();
  };
  const save = async (form: FormData): Promise<void> => {
    const input = { name: textOf(form, 'name'), page, search, isShared: form.has('isShared') };
    const result = await create({ input });
    if (result.failure) return setFailure(result.failure);
    onSaved();
    close();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Save this view"
      description="The filters, the range and the order of this page, under a name."
    >
      <Form onSubmit={save}>
        <Input label="Name" name="name" required maxLength={100} autoComplete="off" />
        <Checkbox
          label="Share with the account"
          hint={
            can('saved_views.share')
              ? 'All members see it. Each sees the requests that their role permits.'
              : `Only ${rolesAllowedTo('saved_views.share')} can share views.`
          }
          name="isShared"
          disabled={!can('saved_views.share')}
        />
        {failure ? <Failed failure={failure} /> : null}
        <div className="flex justify-end gap-1">
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" type="submit" pending={pending}>
            Save
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
