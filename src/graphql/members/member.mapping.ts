import type { Invitation as InvitationEntity } from '../../database/entities/index.ts';
import type { SentInvitation } from '../../services/members/invitations.service.ts';
import type { SeenMember } from '../../services/members/members.service.ts';
import { toRole, toUser } from '../accounts/account.mapping.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { Invitation, type Member } from './member.types.ts';

export function toMember({ membership, lastSeenAt }: SeenMember): Member {
  const { id, user, role, createdAt } = membership;
  return { id: toGlobalId('Member', id), user: toUser(user), role: toRole(role), createdAt, lastSeenAt };
}

/** An invitation with its link, which only the result of its creation contains. */
export function toSentInvitation({ invitation, link }: SentInvitation): Invitation {
  return Object.assign(toInvitation(invitation), { link });
}

export function toInvitation({ id, email, role, createdAt, expiresAt, invitedBy }: InvitationEntity): Invitation {
  return Object.assign(new Invitation(), {
    id: toGlobalId('Invitation', id),
    email,
    role: toRole(role),
    createdAt,
    expiresAt,
    invitedBy: invitedBy && toUser(invitedBy),
    link: null,
  });
}
