import type { EntityManager } from '@mikro-orm/postgresql';
import { recordAudit } from '../../database/audit/record.ts';
import { Membership, type User } from '../../database/entities/index.ts';

const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * Records a failed sign-in for the accounts of the user; for an unknown address in no account's log and without the address,
 * because a password may have been typed there. Takes the same time for both.
 */
export async function recordFailedSignIn(em: EntityManager, user: User | null): Promise<void> {
  await recordFailure(em, user, 'user.sign_in_failed');
}

/** As `recordOfUser`, if nothing else is stored. */
export async function recordFailure(em: EntityManager, user: User | null, action: string): Promise<void> {
  await recordOfUser(em, user, action);
  await em.flush();
}

/** Adds an event of a user to the logs of their accounts; the caller stores it. @param user null if unknown */
export async function recordOfUser(em: EntityManager, user: User | null, action: string): Promise<void> {
  const memberships = await em.find(Membership, { user: user?.id ?? NOBODY }, { fields: ['account'] });
  const accounts = memberships.length === 0 ? [null] : memberships.map(({ account }) => account.id);
  const target = { type: 'user', id: user?.id ?? null, label: user?.email ?? null };
  for (const accountId of accounts) recordAudit(em, { accountId, action, target });
}
