import { useState, type ReactNode } from 'react';
import { useChange } from '../../data/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { CopyLine } from '../../design/code.tsx';
import { Dialog, Drawer } from '../../design/overlay.tsx';
import { Facts } from '../../design/page.tsx';
import { Time } from '../../design/time.tsx';
import { useTell } from '../../design/toast.tsx';
import { DeleteWebhookDocument, EnableWebhookDocument, type WebhookPartsFragment } from '../../generated/graphql.ts';
import { eventNames } from './event-names.ts';
import { DeliveryBadge } from './delivery-badge.tsx';

export function WebhookDrawer({
  webhook,
  mayWrite,
  onClose,
  onDeleted,
}: {
  readonly webhook: WebhookPartsFragment | null;
  readonly mayWrite: boolean;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}): ReactNode {
  return (
    <Drawer open={webhook !== null} onClose={onClose} title="Webhook">
      {webhook ? (
        <div className="flex flex-col gap-3">
          <CopyLine text={webhook.url} label="Copy the address" />
          <Facts
            facts={[
              ['State', <DeliveryBadge key="state" webhook={webhook} />],
              [
                'Told of',
                <span key="events" className="flex flex-wrap gap-0.5">
                  {webhook.events.map((event) => (
                    <Badge key={event}>{eventNames[event]}</Badge>
                  ))}
                </span>,
              ],
              [
                'Secret',
                <span key="secret" className="font-mono">
                  {webhook.secretHint}
                </span>,
              ],
              ['Added', <Time key="added" at={webhook.createdAt} />],
              ['Last told', webhook.lastAttemptAt ? <Time key="tried" at={webhook.lastAttemptAt} /> : 'Never'],
              ['Last taken', webhook.lastDeliveredAt ? <Time key="taken" at={webhook.lastDeliveredAt} /> : 'Never'],
              ['Last answer', webhook.lastStatus ?? '–'],
              ...(webhook.lastFailure ? [['Why it failed', webhook.lastFailure] as const] : []),
            ]}
          />
          {webhook.disabledAt == null ? null : (
            <p className="text-soft">
              Every delivery failed for three days, so it receives no events. Those that happen until it is enabled are
              not delivered.
            </p>
          )}
          {mayWrite ? (
            <div className="flex gap-1">
              {webhook.disabledAt == null ? null : <Enable webhook={webhook} />}
              <Remove webhook={webhook} onDeleted={onDeleted} />
            </div>
          ) : null}
        </div>
      ) : null}
    </Drawer>
  );
}

function Enable({ webhook }: { readonly webhook: WebhookPartsFragment }): ReactNode {
  const [enable, pending] = useChange(EnableWebhookDocument);
  const tell = useTell();
  const run = async (): Promise<void> => {
    const { failure } = await enable({ id: webhook.id });
    if (failure) tell.failed(failure);
    else tell.done('The webhook is enabled and receives events from now on.');
  };
  return (
    <Button look="primary" pending={pending} onClick={() => void run()}>
      Enable
    </Button>
  );
}

function Remove({
  webhook,
  onDeleted,
}: {
  readonly webhook: WebhookPartsFragment;
  readonly onDeleted: () => void;
}): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const [remove, pending] = useChange(DeleteWebhookDocument);
  const tell = useTell();
  const run = async (): Promise<void> => {
    const { failure } = await remove({ id: webhook.id });
    setAsking(false);
    if (failure) tell.failed(failure);
    else {
      tell.done('The address is told no more.');
      onDeleted();
    }
  };
  return (
    <div>
      <Button look="danger" onClick={() => setAsking(true)}>
        Remove
      </Button>
      <Dialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title="Remove this address?"
        description="What it was still to be told is dropped."
      >
        <div className="flex justify-end gap-1">
          <Button onClick={() => setAsking(false)}>Cancel</Button>
          <Button look="danger" pending={pending} onClick={() => void run()}>
            Remove the address
          </Button>
        </div>
      </Dialog>
    </div>
  );
}
