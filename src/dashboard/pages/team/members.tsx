import { useNavigate } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { Select } from '../../design/field.tsx';
import { words } from '../../design/format.ts';
import { Menu } from '../../design/menu.tsx';
import { Dialog } from '../../design/overlay.tsx';
import { Time } from '../../design/time.tsx';
import { useToast } from '../../design/toast.tsx';
import {
  ChangeRoleDocument,
  LeaveAccountDocument,
  RemoveMemberDocument,
  TransferOwnershipDocument,
  type TeamMemberFragment,
} from '../../generated/graphql.ts';
import { roles, type Permissions } from '../../shell/permissions.ts';
import { useSession } from '../../shell/session.tsx';
import { useViewer } from '../../shell/viewer.ts';

type MemberAction = { readonly kind: 'remove' | 'transfer' | 'leave'; readonly member: TeamMemberFragment };

interface Props {
  readonly members: readonly TeamMemberFragment[];
  readonly permissions: Permissions;
  readonly onChanged: () => void;
}

export function Members({ members, permissions, onChanged }: Props): ReactNode {
  const [pendingAction, setPendingAction] = useState<MemberAction | null>(null);
  return (
    <>
      <ul aria-label="Members" className="flex flex-col">
        {members.map((member) => (
          <Row
            key={member.id}
            member={member}
            permissions={permissions}
            onAction={(kind) => setPendingAction({ kind, member })}
          />
        ))}
      </ul>
      {pendingAction ? (
        <ConfirmAction {...pendingAction} onClose={() => setPendingAction(null)} onChanged={onChanged} />
      ) : null}
    </>
  );
}

function Row({
  member,
  permissions,
  onAction,
}: {
  readonly member: TeamMemberFragment;
  readonly permissions: Permissions;
  readonly onAction: (kind: MemberAction['kind']) => void;
}): ReactNode {
  const { user } = useViewer();
  const isOwn = member.user.id === user?.id;
  // A member cannot change or remove members with more permissions than their own.
  const canChange = permissions.can('members.write') && permissions.assignableRoles.includes(member.role);
  const actions = [
    ...(!isOwn && permissions.can('account.transfer')
      ? [{ label: 'Transfer ownership', onSelect: () => onAction('transfer') }]
      : []),
    ...(!isOwn && canChange ? [{ label: 'Remove', danger: true, onSelect: () => onAction('remove') }] : []),
    ...(isOwn ? [{ label: 'Leave account', danger: true, onSelect: () => onAction('leave') }] : []),
  ];
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-2 gap-y-1 border-t border-line py-1.5 md:grid-cols-[minmax(0,1fr)_160px_144px_36px]">
      <div className="min-w-0">
        <div className="flex items-center gap-1">
          <span className="min-w-0 font-strong wrap-anywhere">{member.user.name}</span>
          {isOwn ? <Badge>You</Badge> : null}
        </div>
        <div className="wrap-anywhere text-soft">{member.user.email}</div>
      </div>
      <div className="text-soft max-md:order-last">
        {member.lastSeenAt ? (
          <>
            Last seen <Time at={member.lastSeenAt} as="relative" />
          </>
        ) : (
          'Never signed in'
        )}
      </div>
      {canChange && !isOwn ? (
        <RoleSelect member={member} permissions={permissions} />
      ) : (
        <span>{words(member.role)}</span>
      )}
      <div className="grid justify-items-end max-md:order-last">
        {actions.length > 0 ? (
          <Menu
            align="end"
            trigger={
              <IconButton label={`Actions for ${member.user.name}`}>
                <Ellipsis size={16} aria-hidden />
              </IconButton>
            }
            groups={[{ items: actions }]}
          />
        ) : null}
      </div>
    </li>
  );
}

function RoleSelect({
  member,
  permissions,
}: {
  readonly member: TeamMemberFragment;
  readonly permissions: Permissions;
}): ReactNode {
  const [change, pending] = useMutation(ChangeRoleDocument);
  const toast = useToast();
  const choose = async (name: string): Promise<void> => {
    const role = roles.find((each) => each === name);
    if (!role) return;
    const { failure } = await change({ input: { memberId: member.id, role } });
    if (failure) toast.failed(failure);
    else toast.done(`${member.user.name} is now ${words(role).toLowerCase()}.`);
  };
  return (
    <Select
      label={`Role of ${member.user.name}`}
      hidesLabel
      value={member.role}
      disabled={pending}
      onChange={({ target }) => void choose(target.value)}
    >
      {permissions.assignableRoles.map((role) => (
        <option key={role} value={role}>
          {words(role)}
        </option>
      ))}
    </Select>
  );
}

const confirmations = {
  remove: {
    title: 'Remove this member?',
    text: 'They lose access immediately, including open sessions. API keys that they created keep working. Revoke those under API Keys if necessary.',
    button: 'Remove member',
  },
  transfer: {
    title: 'Transfer ownership?',
    text: 'They become the owner and you become an administrator. Only they can transfer it back.',
    button: 'Transfer ownership',
  },
  leave: {
    title: 'Leave this account?',
    text: 'You lose access until somebody invites you again. API keys that you created keep working.',
    button: 'Leave account',
  },
} as const;

function ConfirmAction({
  kind,
  member,
  onClose,
  onChanged,
}: MemberAction & Pick<Props, 'onChanged'> & { readonly onClose: () => void }): ReactNode {
  const [remove, isRemoving] = useMutation(RemoveMemberDocument);
  const [transfer, isTransferring] = useMutation(TransferOwnershipDocument);
  const [leave, isLeaving] = useMutation(LeaveAccountDocument);
  const { deselectAccount } = useSession();
  const navigate = useNavigate();
  const toast = useToast();
  const { title, text, button } = confirmations[kind];
  const run = async (): Promise<void> => {
    const { failure } =
      kind === 'remove'
        ? await remove({ memberId: member.id })
        : kind === 'transfer'
          ? await transfer({ input: { memberId: member.id } })
          : await leave({});
    onClose();
    if (failure) toast.failed(failure);
    else if (kind === 'leave') {
      toast.done('You have left the account.');
      await navigate({ to: '/' });
      deselectAccount();
    } else {
      toast.done(kind === 'remove' ? `${member.user.name} removed.` : `${member.user.name} is now the owner.`);
      onChanged();
    }
  };
  return (
    <Dialog open onClose={onClose} title={title} description={`${member.user.name}, ${member.user.email}`}>
      <p>{text}</p>
      <div className="mt-3 flex justify-end gap-1">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          variant={kind === 'transfer' ? 'primary' : 'danger'}
          pending={isRemoving || isTransferring || isLeaving}
          onClick={() => void run()}
        >
          {button}
        </Button>
      </div>
    </Dialog>
  );
}
