import { useNavigate } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useChange } from '../../data/graphql/hooks.ts';
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
import { roles, type Powers } from '../../shell/powers.ts';
import { useSession } from '../../shell/session.tsx';
import { useViewer } from '../../shell/viewer.ts';

type MemberAction = { readonly about: 'remove' | 'transfer' | 'leave'; readonly member: TeamMemberFragment };

interface Props {
  readonly members: readonly TeamMemberFragment[];
  readonly powers: Powers;
  readonly onChanged: () => void;
}

export function Members({ members, powers, onChanged }: Props): ReactNode {
  const [question, setQuestion] = useState<MemberAction | null>(null);
  return (
    <>
      <ul aria-label="Members" className="flex flex-col">
        {members.map((member) => (
          <Row key={member.id} member={member} powers={powers} onAsk={(about) => setQuestion({ about, member })} />
        ))}
      </ul>
      {question ? <ConfirmAction {...question} onClose={() => setQuestion(null)} onChanged={onChanged} /> : null}
    </>
  );
}

function Row({
  member,
  powers,
  onAsk,
}: {
  readonly member: TeamMemberFragment;
  readonly powers: Powers;
  readonly onAsk: (about: MemberAction['about']) => void;
}): ReactNode {
  const { user } = useViewer();
  const isOwn = member.user.id === user?.id;
  // A member cannot change or remove members with more permissions than their own.
  const mayChange = powers.may('members.write') && powers.givable.includes(member.role);
  const acts = [
    ...(!isOwn && powers.may('account.transfer')
      ? [{ label: 'Transfer ownership', onSelect: () => onAsk('transfer') }]
      : []),
    ...(!isOwn && mayChange ? [{ label: 'Remove', danger: true, onSelect: () => onAsk('remove') }] : []),
    ...(isOwn ? [{ label: 'Leave account', danger: true, onSelect: () => onAsk('leave') }] : []),
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
            last seen <Time at={member.lastSeenAt} as="relative" />
          </>
        ) : (
          'never signed in'
        )}
      </div>
      {mayChange && !isOwn ? <RoleSelect member={member} powers={powers} /> : <span>{words(member.role)}</span>}
      <div className="grid justify-items-end max-md:order-last">
        {acts.length > 0 ? (
          <Menu
            align="end"
            trigger={
              <IconButton label={`Actions for ${member.user.name}`}>
                <Ellipsis size={16} aria-hidden />
              </IconButton>
            }
            groups={[{ items: acts }]}
          />
        ) : null}
      </div>
    </li>
  );
}

function RoleSelect({ member, powers }: { readonly member: TeamMemberFragment; readonly powers: Powers }): ReactNode {
  const [change, pending] = useChange(ChangeRoleDocument);
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
      {powers.givable.map((role) => (
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
    act: 'Remove member',
  },
  transfer: {
    title: 'Transfer ownership?',
    text: 'They become the owner and you become an administrator. Only they can transfer it back.',
    act: 'Transfer ownership',
  },
  leave: {
    title: 'Leave this account?',
    text: 'You lose access until somebody invites you again. API keys that you created keep working.',
    act: 'Leave account',
  },
} as const;

function ConfirmAction({
  about,
  member,
  onClose,
  onChanged,
}: MemberAction & Pick<Props, 'onChanged'> & { readonly onClose: () => void }): ReactNode {
  const [remove, isRemoving] = useChange(RemoveMemberDocument);
  const [transfer, isTransferring] = useChange(TransferOwnershipDocument);
  const [leave, isLeaving] = useChange(LeaveAccountDocument);
  const { forget } = useSession();
  const navigate = useNavigate();
  const toast = useToast();
  const { title, text, act } = confirmations[about];
  const run = async (): Promise<void> => {
    const { failure } =
      about === 'remove'
        ? await remove({ memberId: member.id })
        : about === 'transfer'
          ? await transfer({ input: { memberId: member.id } })
          : await leave({});
    onClose();
    if (failure) toast.failed(failure);
    else if (about === 'leave') {
      toast.done('You have left the account.');
      await navigate({ to: '/' });
      forget();
    } else {
      toast.done(about === 'remove' ? `${member.user.name} removed.` : `${member.user.name} is now the owner.`);
      onChanged();
    }
  };
  return (
    <Dialog open onClose={onClose} title={title} description={`${member.user.name}, ${member.user.email}`}>
      <p>{text}</p>
      <div className="mt-3 flex justify-end gap-1">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look={about === 'transfer' ? 'primary' : 'danger'}
          pending={isRemoving || isTransferring || isLeaving}
          onClick={() => void run()}
        >
          {act}
        </Button>
      </div>
    </Dialog>
  );
}
