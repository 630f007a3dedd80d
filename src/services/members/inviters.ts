import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Invitation, Membership, type MembershipRole } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { isAllowed, canAssignRole } from '../authorization/authorization.ts';

/**
 * Requires that the inviter still has the role by which the request was authorized. For a unit of work that holds the
 * account's lock.
 * @throws SluiceError forbidden
 */
export async function requireInviter(
  em: EntityManager,
  accountId: string,
  userId: string,
  role: MembershipRole,
): Promise<void> {
  const inviter = await em.findOne(Membership, { account: accountId, user: userId });
  if (inviter === null || !canInvite(inviter.role, role))
    throw new SluiceError('forbidden', { detail: `${inviter?.role ?? 'nobody'} may not invite ${role}` });
}

/**
 * Revokes a member's open invitations to roles that they may no longer grant: otherwise someone who lost a role could regain
 * it through an invitation of their own. For a unit of work that holds the account's lock.
 * @param role their new role; null if they are no longer a member
 */
export async function revokeInvitationsOf(
  em: EntityManager,
  accountId: string,
  userId: string,
  role: MembershipRole | null,
): Promise<void> {
  const open = { account: accountId, invitedBy: userId, acceptedAt: null, revokedAt: null };
  for (const invitation of await em.find(Invitation, open, { lockMode: LockMode.PESSIMISTIC_WRITE }))
    if (role === null || !canInvite(role, invitation.role)) invitation.revokedAt = new Date();
}

function canInvite(inviter: MembershipRole, role: MembershipRole): boolean {
  return isAllowed(inviter, 'members.write') && canAssignRole([inviter], role);
}
