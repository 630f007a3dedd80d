import { useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { CopyLine } from '../../design/code.tsx';
import { Dialog, Drawer } from '../../design/overlay.tsx';
import { Facts } from '../../design/page.tsx';
import { Time } from '../../design/time.tsx';
import { useToast } from '../../design/toast.tsx';
import { DeleteWebhookDocument, EnableWebhookDocument, type WebhookPartsFragment } from '../../generated/graphql.ts';
import { eventNames } from './event-names.ts';
import { DeliveryBadge } from './delivery-badge.tsx';

const HTTP_GONE = 410;

export function WebhookDrawer({
  webhook,
  canWrite,
  onClose,
  onDeleted,
}: {
  readonly webhook: WebhookPartsFragment | null;
  readonly canWrite: boolean;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}): ReactNode {
  return (
    <Drawer open={webhook !== null} onClose={onClose} title="Webhook">
      {webhook ? (
        <div className="flex flex-col gap-3">
          <CopyLine text={webhook.url} label="Copy the URL" />
          <Facts
            facts={[
              ['Status', <DeliveryBadge key="state" webhook={webhook} />],
              [
                'Events',
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
              ['Last attempt', webhook.lastAttemptAt ? <Time key="tried" at={webhook.lastAttemptAt} /> : 'Never'],
              [
                'Last delivered',
                webhook.lastDeliveredAt ? <Time key="delivered" at={webhook.lastDeliveredAt} /> : 'Never',
              ],
              ['Last status', webhook.lastStatus ?? '–'],
              ...(webhook.lastFailure ? [['Last failure', webhook.lastFailure] as const] : []),
            ]}
          />
          <NextAttempt webhook={webhook} />
          {canWrite ? (
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

/** Explains what happens to events while deliveries fail. */
function NextAttempt({
  webhook: { disabledAt, lastFailure, lastStatus },
}: {
  readonly webhook: WebhookPartsFragment;
}): ReactNode {
  if (disabledAt != null)
    return (
      <p className="text-soft">
        Every delivery failed for three days, so this webhook is disabled. Until you enable it, new events and retries
        are dropped.
      </p>
    );
  if (lastFailure == null) return null;
  return (
    <p className="text-soft">
      {lastStatus === HTTP_GONE
        ? 'The server responded with 410 (gone), so the event is not retried.'
        : 'The event is retried within an hour.'}{' '}
      If every delivery fails for three days, the webhook is disabled.
    </p>
  );
}

function Enable({ webhook }: { readonly webhook: WebhookPartsFragment }): ReactNode {
  const [enable, pending] = useMutation(EnableWebhookDocument);
  const toast = useToast();
  const run = async (): Promise<void> => {
    const { failure } = await enable({ id: webhook.id });
    if (failure) toast.failed(failure);
    else toast.done('Webhook enabled. It now receives events.');
  };
  return (
    <Button variant="primary" pending={pending} onClick={() => void run()}>
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
  const [isConfirming, setConfirming] = useState(false);
  const [remove, pending] = useMutation(DeleteWebhookDocument);
  const toast = useToast();
  const run = async (): Promise<void> => {
    const { failure } = await remove({ id: webhook.id });
    setConfirming(false);
    if (failure) toast.failed(failure);
    else {
      toast.done('Webhook removed.');
      onDeleted();
    }
  };
  return (
    <div>
      <Button variant="danger" onClick={() => setConfirming(true)}>
        Remove
      </Button>
      <Dialog
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title="Remove this webhook?"
        description="Events that are not yet delivered are dropped."
      >
        <div className="flex justify-end gap-1">
          <Button onClick={() => setConfirming(false)}>Cancel</Button>
          <Button variant="danger" pending={pending} onClick={() => void run()}>
            Remove webhook
          </Button>
        </div>
      </Dialog>
    </div>
  );
}
