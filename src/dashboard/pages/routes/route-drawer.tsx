import type { ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { ConfirmButton } from '../../design/confirm-button.tsx';
import { Drawer } from '../../design/overlay.tsx';
import { useToast } from '../../design/toast.tsx';
import { DeleteRouteDocument, type RoutePartsFragment } from '../../generated/graphql.ts';
import { RouteForm } from './route-form.tsx';

/** Creates or edits a route. */
export function RouteDrawer({
  route,
  isNew,
  newName,
  names,
  onClose,
  onSaved,
  onDeleted,
}: {
  readonly route: RoutePartsFragment | null;
  readonly isNew: boolean;
  /** The name of a new route at first. */
  readonly newName: string;
  /** The names of the existing routes. */
  readonly names: readonly string[];
  readonly onClose: () => void;
  readonly onSaved: (name: string) => void;
  readonly onDeleted: () => void;
}): ReactNode {
  return (
    <Drawer
      open={route !== null || isNew}
      onClose={onClose}
      title={route?.name ?? 'Create route'}
      description="Requests use the route by naming it as their model. Changes apply from the next request."
    >
      <RouteForm key={route?.id ?? 'new'} route={route} newName={newName} names={names} onSaved={onSaved}>
        {route ? <Delete route={route} onDeleted={onDeleted} /> : null}
      </RouteForm>
    </Drawer>
  );
}

function Delete({
  route: { id, name },
  onDeleted,
}: {
  readonly route: RoutePartsFragment;
  readonly onDeleted: () => void;
}): ReactNode {
  const [remove, pending] = useMutation(DeleteRouteDocument);
  const toast = useToast();
  const run = async (): Promise<void> => {
    const { failure } = await remove({ id });
    if (failure) toast.failed(failure);
    else {
      toast.done(`Route ${name} deleted.`);
      onDeleted();
    }
  };
  return (
    <ConfirmButton
      label="Delete"
      title={`Delete ${name}?`}
      description="Requests with this name then use the operator’s route or model of the same name, if there is one. Otherwise they are refused."
      confirm="Delete route"
      pending={pending}
      onConfirm={run}
    />
  );
}
