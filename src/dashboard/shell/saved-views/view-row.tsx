import { useState, type ReactNode } from 'react';
import { textOf } from '../../data/form.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ConfirmButton } from '../../design/confirm-button.tsx';
import { Input } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import type { SavedViewPartsFragment, UpdateSavedViewInput } from '../../generated/graphql.ts';

export function ViewRow({
  view,
  isCurrent,
  canChange,
  canShare,
  onUpdate,
  onDelete,
  search,
}: {
  readonly view: SavedViewPartsFragment;
  /** Whether the page shows it. */
  readonly isCurrent: boolean;
  readonly canChange: boolean;
  readonly canShare: boolean;
  /** @returns whether it succeeded */
  readonly onUpdate: (input: UpdateSavedViewInput) => Promise<boolean>;
  readonly onDelete: () => Promise<boolean>;
  /** Of what the page shows now. */
  readonly search: string;
}): ReactNode {
  const [isRenaming, setRenaming] = useState(false);
  const [pending, setPending] = useState(false);
  const run = async (action: () => Promise<boolean>): Promise<boolean> => {
    setPending(true);
    const succeeded = await action();
    setPending(false);
    return succeeded;
  };
  const rename = async (form: FormData): Promise<void> => {
    if (await run(() => onUpdate({ name: textOf(form, 'name') }))) setRenaming(false);
  };
  return (
    <li className="flex flex-col gap-1 border-t border-line py-1.5 first:border-t-0">
      {isRenaming ? (
        <Form onSubmit={rename}>
          <Input label="Name" name="name" required maxLength={100} defaultValue={view.name} autoFocus />
          <div className="flex gap-1">
            <Button variant="primary" type="submit" pending={pending}>
              Rename
            </Button>
            <Button onClick={() => setRenaming(false)}>Cancel</Button>
          </div>
        </Form>
      ) : (
        <>
          <div className="flex flex-wrap items-center gap-1">
            <span className="min-w-0 font-strong wrap-anywhere">{view.name}</span>
            {view.isShared ? <Badge>Shared</Badge> : null}
            {isCurrent ? <Badge>Shown</Badge> : null}
          </div>
          {canChange ? (
            <div className="flex flex-wrap gap-1">
              <Button onClick={() => setRenaming(true)}>Rename</Button>
              {isCurrent ? null : (
                <Button disabled={pending} onClick={() => void run(() => onUpdate({ search }))}>
                  Replace with this page
                </Button>
              )}
              {canShare ? (
                <Button disabled={pending} onClick={() => void run(() => onUpdate({ isShared: !view.isShared }))}>
                  {view.isShared ? 'Stop sharing' : 'Share'}
                </Button>
              ) : null}
              <ConfirmButton
                label="Delete"
                title={`Delete “${view.name}”?`}
                description={view.isShared ? 'All members of the account lose it.' : 'The requests are not changed.'}
                confirm="Delete"
                pending={pending}
                onConfirm={async () => void (await run(onDelete))}
              />
            </div>
          ) : null}
        </>
      )}
    </li>
  );
}
