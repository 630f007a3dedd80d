import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { textOf } from '../../data/form.ts';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { CopyLine } from '../../design/code.tsx';
import { ConfirmButton } from '../../design/confirm-button.tsx';
import { Input, Select } from '../../design/field.tsx';
import { Drawer, WarnBeforeClose } from '../../design/overlay.tsx';
import { Facts } from '../../design/page.tsx';
import { Failed } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { useToast } from '../../design/toast.tsx';
import {
  CreateAlertChannelDocument,
  DeleteAlertChannelDocument,
  TestAlertChannelDocument,
  type AlertChannelKind,
  type AlertChannelPartsFragment,
} from '../../generated/graphql.ts';
import { channelHints, channelKinds, channelNames } from './alert-texts.ts';

/** Details of a channel, with its test. */
export function ChannelDrawer({
  channel,
  canWrite,
  onClose,
  onTested,
  onDeleted,
}: {
  readonly channel: AlertChannelPartsFragment | null;
  readonly canWrite: boolean;
  readonly onClose: () => void;
  readonly onTested: () => void;
  readonly onDeleted: () => void;
}): ReactNode {
  const [test, isTesting] = useMutation(TestAlertChannelDocument);
  const [remove, isRemoving] = useMutation(DeleteAlertChannelDocument);
  const toast = useToast();
  const sendTest = async (id: string): Promise<void> => {
    const { failure } = await test({ id });
    if (failure) toast.failed(failure);
    else {
      toast.done('Test queued. The history shows whether it arrived.');
      onTested();
    }
  };
  const removeChannel = async (id: string): Promise<void> => {
    const { failure } = await remove({ id });
    if (failure) toast.failed(failure);
    else {
      toast.done('Channel deleted.');
      onDeleted();
    }
  };
  return (
    <Drawer open={channel !== null} onClose={onClose} title={channel?.name ?? 'Channel'}>
      {channel ? (
        <div className="flex flex-col gap-3">
          <Facts
            facts={[
              ['Type', channelNames[channel.kind]],
              [
                'Target',
                <span key="target" className="font-mono wrap-anywhere">
                  {channel.emails.length > 0 ? channel.emails.join(', ') : channel.hint}
                </span>,
              ],
              ['Added', <Time key="added" at={channel.createdAt} />],
            ]}
          />
          {canWrite ? (
            <div className="flex flex-wrap gap-1">
              <Button variant="primary" pending={isTesting} onClick={() => void sendTest(channel.id)}>
                Send test
              </Button>
              <ConfirmButton
                label="Delete"
                title={`Delete ${channel.name}?`}
                description="Rules no longer notify it. Notifications that are not yet delivered are dropped."
                confirm="Delete channel"
                pending={isRemoving}
                onConfirm={() => removeChannel(channel.id)}
              />
            </div>
          ) : null}
        </div>
      ) : null}
    </Drawer>
  );
}

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
    const emails = textOf(form, 'emails')
      .split(/[\s,;]+/)
      .filter((each) => each !== '');
    const result = await create({
      input: {
        name: textOf(form, 'name'),
        kind,
        url: textOf(form, 'url') || null,
        routingKey: textOf(form, 'routingKey') || null,
        region: textOf(form, 'region') === 'EU' ? 'EU' : null,
        emails,
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
        <div className="flex flex-col gap-3">
          <WarnBeforeClose what="The secret" />
          <CopyLine text={secret} label="Copy the secret" />
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

function TargetFields({ kind }: { readonly kind: AlertChannelKind }): ReactNode {
  if (kind === 'EMAIL')
    return <Input label="Addresses" name="emails" required hint="Up to 10, separated by commas." autoComplete="off" />;
  if (kind === 'PAGERDUTY')
    return (
      <>
        <Input
          label="Integration key"
          name="routingKey"
          required
          pattern="[A-Za-z0-9]{32}"
          autoComplete="off"
          hint="32 characters. It is encrypted, and only its end is shown later."
        />
        <Select label="Region" name="region" defaultValue="US">
          <option value="US">United States</option>
          <option value="EU">Europe</option>
        </Select>
      </>
    );
  return (
    <Input
      label="URL"
      name="url"
      type="url"
      required
      autoComplete="off"
      hint="It is encrypted, and only its host and end are shown later. It must be on the public internet or allowed by the operator."
    />
  );
}
