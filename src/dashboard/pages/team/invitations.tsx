import { useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { words } from '../../design/format.ts';
import { Time } from '../../design/time.tsx';
import { useToast } from '../../design/toast.tsx';
import {
  ResendInvitationDocument,
  RevokeInvitationDocument,
  type OpenInvitationFragment,
} from '../../generated/graphql.ts';
import type { Permissions } from '../../shell/permissions.ts';
import { LinkDialog } from './invite.tsx';

export function Invitations({
  invitations,
  permissions,
  onChanged,
}: {
  readonly invitations: readonly OpenInvitationFragment[];
  readonly permissions: Permissions;
  readonly onChanged: () => void;
}): ReactNode {
  if (invitations.length === 0)
    return (
      <p className="text-soft">
        No open invitations. An invitation is a link for one e-mail address that expires after a week.
      </p>
    );
  return (
    <ul aria-label="Invitations" className="flex flex-col">
      {invitations.map((invitation) => (
        <Row
          key={invitation.id}
          invitation={invitation}
          canChange={permissions.can('members.write') && permissions.assignableRoles.includes(invitation.role)}
          onChanged={onChanged}
        />
      ))}
    </ul>
  );
}

function Row({
  invitation,
  canChange,
  onChanged,
}: {
  readonly invitation: OpenInvitationFragment;
  readonly canChange: boolean;
  readonly onChanged: () => void;
}): ReactNode {
  const { id, email, role, expiresAt, invitedBy } = invitation;
  const [resend] = useMutation(ResendInvitationDocument);
  const [revoke] = useMutation(RevokeInvitationDocument);
  const [pending, setPending] = useState<'resend' | 'revoke' | null>(null);
  const [link, setLink] = useState<string | null>(null);
  const toast = useToast();
  const isExpired = Date.parse(expiresAt) <= Date.now();
  const sendAgain = async () => {
    const result = await resend({ id });
    const sent = result.data?.resendInvitation.link ?? null;
    setLink(sent);
    if (result.data && sent === null) toast.done(`A new link was sent to ${email}.`);
    return result;
  };
  const run = async (action: 'resend' | 'revoke'): Promise<void> => {
    setPending(action);
    const { failure } = action === 'resend' ? await sendAgain() : await revoke({ id });
    setPending(null);
    if (failure) toast.failed(failure);
    else {
      if (action === 'revoke') toast.done(`Invitation for ${email} revoked.`);
      onChanged();
    }
  };
  return (
    <li className="flex flex-wrap items-center gap-x-2 gap-y-1 border-t border-line py-1.5">
      <div className="min-w-24 flex-1">
        <div className="flex flex-wrap items-center gap-1">
          <span className="font-strong wrap-anywhere">{email}</span>
          <Badge>{words(role)}</Badge>
          {isExpired ? <Badge tone="warn">Expired</Badge> : null}
        </div>
        <div className="text-soft">
          {isExpired ? 'Expired' : 'Expires'} <Time at={expiresAt} as="relative" />
          {invitedBy ? `, invited by ${invitedBy.name}` : ''}
        </div>
      </div>
      {canChange ? (
        <div className="flex gap-1">
          <Button pending={pending === 'resend'} onClick={() => void run('resend')} aria-label={`Resend to ${email}`}>
            Resend
          </Button>
          <Button pending={pending === 'revoke'} onClick={() => void run('revoke')} aria-label={`Revoke ${email}`}>
            Revoke
          </Button>
        </div>
      ) : null}
      {link === null ? null : <LinkDialog email={email} link={link} onClose={() => setLink(null)} />}
    </li>
  );
}
