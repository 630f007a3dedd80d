import type { ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { ConfirmButton } from '../../design/confirm-button.tsx';
import { Drawer } from '../../design/overlay.tsx';
import { Facts, Section } from '../../design/page.tsx';
import { Time } from '../../design/time.tsx';
import { useToast } from '../../design/toast.tsx';
import {
  DeleteAlertChannelDocument,
  TestAlertChannelDocument,
  type AlertChannelPartsFragment,
} from '../../generated/graphql.ts';
import { channelNames } from './alert-texts.ts';
import { ChangeChannel } from './channel-form.tsx';

/** Details of a channel, with its test and the form that changes it. */
export function ChannelDrawer({
  channel,
  canWrite,
  onClose,
  onTested,
  onChanged,
  onDeleted,
}: {
  readonly channel: AlertChannelPartsFragment | null;
  readonly canWrite: boolean;
  readonly onClose: () => void;
  readonly onTested: () => void;
  readonly onChanged: () => void;
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
          {canWrite ? (
            <Section title="Change">
              <ChangeChannel key={channel.id} channel={channel} onChanged={onChanged} />
            </Section>
          ) : null}
        </div>
      ) : null}
    </Drawer>
  );
}
