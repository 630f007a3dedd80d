import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { textOf } from '../../data/form.ts';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Input, Select } from '../../design/field.tsx';
import { Drawer } from '../../design/overlay.tsx';
import { Failed } from '../../design/state.tsx';
import { CreateAlertChannelDocument, type AlertChannelKind } from '../../generated/graphql.ts';
import { channelHints, channelKinds, channelNames } from './alert-texts.ts';
import { emailsOf, NewSecret, TargetFields } from './channel-fields.tsx';

/** The signing secret of a webhook is held in this component's state only. */
export function CreateChannel({
  open,
  onClose,
  onCreated,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onCreated: () => void;
}): ReactNode {
  const [create, pending] = useMutation(CreateAlertChannelDocument);
  const [kind, setKind] = useState<AlertChannelKind>('EMAIL');
  const [secret, setSecret] = useState<string | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const close = (): void => {
    setSecret(null);
    setFailure(null);
    onClose();
  };
  const submit = async (form: FormData): Promise<void> => {
    setFailure(null);
    const result = await create({
      input: {
        name: textOf(form, 'name'),
        kind,
        url: textOf(form, 'url') || null,
        routingKey: textOf(form, 'routingKey') || null,
        region: textOf(form, 'region') === 'EU' ? 'EU' : null,
        emails: emailsOf(form),
      },
    });
    if (result.failure) {
      setFailure(result.failure);
      return;
    }
    onCreated();
    if (result.data.createAlertChannel.secret == null) close();
    else setSecret(result.data.createAlertChannel.secret);
  };
  return (
    <Drawer
      open={open}
      onClose={close}
      title={secret === null ? 'Add channel' : 'Signing secret'}
      description={secret === null ? undefined : 'Copy it now. It is shown only once.'}
    >
      {secret === null ? (
        <form
          aria-label="Alert channel"
          className="flex flex-col gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            void submit(new FormData(event.currentTarget));
          }}
        >
          <Select
            label="Type"
            name="kind"
            value={kind}
            onChange={({ target }) => setKind(channelKinds.find((each) => each === target.value) ?? 'EMAIL')}
            hint={channelHints[kind]}
          >
            {channelKinds.map((each) => (
              <option key={each} value={each}>
                {channelNames[each]}
              </option>
            ))}
          </Select>
          <Input label="Name" name="name" required maxLength={100} placeholder="For example the team that reads it" />
          <TargetFields kind={kind} />
          {failure ? <Failed failure={failure} /> : null}
          <div>
            <Button variant="primary" type="submit" pending={pending}>
              Add channel
            </Button>
          </div>
        </form>
      ) : (
        <NewSecret secret={secret} onDone={close} />
      )}
    </Drawer>
  );
}
