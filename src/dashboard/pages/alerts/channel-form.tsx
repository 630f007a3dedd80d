import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { textOf } from '../../data/form.ts';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Checkbox, Input } from '../../design/field.tsx';
import { Failed } from '../../design/state.tsx';
import { useToast } from '../../design/toast.tsx';
import { UpdateAlertChannelDocument, type AlertChannelPartsFragment } from '../../generated/graphql.ts';
import { emailsOf, NewSecret, TargetFields } from './channel-fields.tsx';

/** Changes a channel: what is secret is replaced, never shown. */
export function ChangeChannel({
  channel,
  onChanged,
}: {
  readonly channel: AlertChannelPartsFragment;
  readonly onChanged: () => void;
}): ReactNode {
  const [update, pending] = useMutation(UpdateAlertChannelDocument);
  const [secret, setSecret] = useState<string | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const toast = useToast();
  const { id, kind } = channel;
  const submit = async (form: FormData): Promise<void> => {
    setFailure(null);
    const region = textOf(form, 'region');
    const result = await update({
      id,
      input: {
        name: textOf(form, 'name'),
        url: textOf(form, 'url') || null,
        routingKey: textOf(form, 'routingKey') || null,
        region: region === 'EU' || region === 'US' ? region : null,
        emails: kind === 'EMAIL' ? emailsOf(form) : null,
        rotateSecret: form.has('rotateSecret') ? true : null,
      },
    });
    if (result.failure) {
      setFailure(result.failure);
      return;
    }
    toast.done('Channel changed.');
    const next = result.data.updateAlertChannel.secret;
    if (next == null) onChanged();
    else setSecret(next);
  };
  if (secret !== null)
    return (
      <>
        <p className="text-soft">This is the new signing secret. Copy it now. It is shown only once.</p>
        <NewSecret secret={secret} onDone={onChanged} />
      </>
    );
  return (
    <form
      aria-label="Change channel"
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(new FormData(event.currentTarget));
      }}
    >
      <Input label="Name" name="name" required maxLength={100} defaultValue={channel.name} />
      <TargetFields kind={kind} channel={channel} />
      {kind === 'WEBHOOK' ? (
        <Checkbox
          name="rotateSecret"
          label="Replace the signing secret"
          hint="The new one is shown once. The previous one is invalid at once."
        />
      ) : null}
      {failure ? <Failed failure={failure} /> : null}
      <div>
        <Button type="submit" pending={pending}>
          Save channel
        </Button>
      </div>
    </form>
  );
}
