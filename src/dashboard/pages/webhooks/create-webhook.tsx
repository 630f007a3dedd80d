import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { selectedValuesOf, textOf } from '../../data/form.ts';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { CopyLine } from '../../design/code.tsx';
import { Checkbox, FieldGroup, Input } from '../../design/field.tsx';
import { Drawer, WarnBeforeClose } from '../../design/overlay.tsx';
import { Failed } from '../../design/state.tsx';
import { CreateWebhookDocument } from '../../generated/graphql.ts';
import { eventHints, eventNames, events } from './event-names.ts';

/** The signing secret is held in this component's state only. */
export function CreateWebhook({
  open,
  onClose,
  onCreated,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onCreated: () => void;
}): ReactNode {
  const [create, pending] = useMutation(CreateWebhookDocument);
  const [secret, setSecret] = useState<string | null>(null);
  const [error, setError] = useState<Failure | null>(null);
  const close = (): void => {
    setSecret(null);
    setError(null);
    onClose();
  };
  const submit = async (form: FormData): Promise<void> => {
    setError(null);
    const { data, failure } = await create({
      input: { url: textOf(form, 'url'), events: selectedValuesOf(form, 'events', events) },
    });
    if (failure) setError(failure);
    else {
      setSecret(data.createWebhook.secret);
      onCreated();
    }
  };
  return (
    <Drawer
      open={open}
      onClose={close}
      title={secret === null ? 'Add webhook' : 'Signing secret'}
      description={secret === null ? undefined : 'Copy it now. It is shown only once.'}
    >
      {secret === null ? (
        <form
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            void submit(new FormData(event.currentTarget));
          }}
        >
          <Input
            label="URL"
            name="url"
            type="url"
            required
            placeholder="https://app.example.com/hooks/sluice"
            hint="It must be on the public internet or allowed by the operator. Redirects are not followed."
          />
          <FieldGroup legend="Events">
            {events.map((event) => (
              <Checkbox
                key={event}
                label={<code className="font-mono">{eventNames[event]}</code>}
                hint={eventHints[event]}
                name="events"
                value={event}
                defaultChecked
              />
            ))}
          </FieldGroup>
          {error ? <Failed failure={error} /> : null}
          <div>
            <Button variant="primary" type="submit" pending={pending}>
              Add webhook
            </Button>
          </div>
        </form>
      ) : (
        <div className="flex flex-col gap-3">
          <WarnBeforeClose what="The secret" />
          <CopyLine text={secret} label="Copy the secret" />
          <p className="text-soft">
            Verify events with any Standard Webhooks library. It reads the headers{' '}
            <code className="font-mono">webhook-id</code>, <code className="font-mono">webhook-timestamp</code> and{' '}
            <code className="font-mono">webhook-signature</code>.
          </p>
          <div>
            <Button variant="primary" onClick={close}>
              Done
            </Button>
          </div>
        </div>
      )}
    </Drawer>
  );
}
