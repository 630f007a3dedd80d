import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Invitation, Membership, type MembershipRole } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { isAllowed, mayGive } from '../accounts/authorization.ts';

/**
 * Whoever invites is still what their request was let in as. For a unit of work that holds the account's lock.
 * @throws SluiceError forbidden
 */
export async function requireInviter(
  em: EntityManager,
  accountId: string,
  userId: string,
  role: MembershipRole,
): Promise<void> {
  const inviter = await em.findOne(Membership, { account: accountId, user: userId });
  if (inviter === null || !mayInvite(inviter.role, role))
    throw new SluiceError('forbidden', { detail: `${inviter?.role ?? 'nobody'} may not invite ${role}` });
}

/**
 * Takes back what a member's invitations would still give and they may not any more: else whoever lost a role would get it
 * again by a link of their own. For a unit of work that holds the account's lock.
 * @param role what they are from now on; null for no member
 */
export async function revokeInvitationsOf(
  em: EntityManager,
  accountId: string,
  userId: string,
  role: MembershipRole | null,
): Promise<void> {
  const open = { account: accountId, invitedBy: userId, acceptedAt: null, revokedAt: null };
  for (const invitation of await em.find(Invitation, open, { lockMode: LockMode.PESSIMISTIC_WRITE }))
    if (role === null || !mayInvite(role, invitation.role)) invitation.revokedAt = new Date();
}

function mayInvite(inviter: MembershipRole, role: MembershipRole): boolean {
  return isAllowed(inviter, 'members.write') && mayGive([inviter], role);
}
