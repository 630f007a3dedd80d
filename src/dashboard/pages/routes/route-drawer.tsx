import { useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Dialog, Drawer } from '../../design/overlay.tsx';
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
  const [isConfirming, setConfirming] = useState(false);
  const [remove, pending] = useMutation(DeleteRouteDocument);
  const toast = useToast();
  const run = async (): Promise<void> => {
    const { failure } = await remove({ id });
    setConfirming(false);
    if (failure) toast.failed(failure);
    else {
      toast.done(`Route ${name} deleted.`);
      onDeleted();
    }
  };
  return (
    <>
      <Button variant="danger" onClick={() => setConfirming(true)}>
        Delete
      </Button>
      <Dialog
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title={`Delete ${name}?`}
        description="Requests with this name then use the operator’s route or model of the same name, if there is one. Otherwise they are refused."
      >
        <div className="flex justify-end gap-1">
          <Button onClick={() => setConfirming(false)}>Cancel</Button>
          <Button variant="danger" pending={pending} onClick={() => void run()}>
            Delete route
          </Button>
        </div>
      </Dialog>
    </>
  );
}
