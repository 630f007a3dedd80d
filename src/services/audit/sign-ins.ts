import type { EntityManager } from '@mikro-orm/postgresql';
import { recordAudit } from '../../database/audit/record.ts';
import { Membership, type User } from '../../database/entities/index.ts';

const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * Tells the accounts of a user that somebody tried to sign in as them; of an address that nobody has, the log of no account,
 * which does not hold it: what is typed there may be a password. Takes as long for both.
 */
export async function recordFailedSignIn(em: EntityManager, user: User | null): Promise<void> {
  await recordFailure(em, user, 'user.sign_in_failed');
}

/** As `recordOfUser`, where nothing else is stored. */
export async function recordFailure(em: EntityManager, user: User | null, action: string): Promise<void> {
  await recordOfUser(em, user, action);
  await em.flush();
}

/** Adds what happened to a user to the logs of their accounts; the caller stores it. @param user null for nobody that is known */
export async function recordOfUser(em: EntityManager, user: User | null, action: string): Promise<void> {
  const memberships = await em.find(Membership, { user: user?.id ?? NOBODY }, { fields: ['account'] });
  const accounts = memberships.length === 0 ? [null] : memberships.map(({ account }) => account.id);
  const target = { type: 'user', id: user?.id ?? null, label: user?.email ?? null };
  for (const accountId of accounts) recordAudit(em, { accountId, action, target });
}
