import { randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../../database/database.ts';
import { Account } from '../../database/entities/index.ts';
import type { KeysService } from '../keys/keys.service.ts';
import { buildUser, parseEmail } from '../accounts/build-account.ts';
import { hashPassword } from '../passwords/passwords.ts';

const OWNER_EMAIL = 'owner@sluice.local';
/** An arbitrary advisory lock id: the bytes of "owner". */
const FIRST_OWNER_LOCK = 0x6f776e6572;

export interface FirstOwner {
  readonly email: string;
  /** Null if the operator set it. */
  readonly generatedPassword: string | null;
  /** Shown once. */
  readonly apiKey: string;
}

/**
 * Creates the first owner, with an account and a key with all scopes, if there is none yet. A user who signs up earlier does
 * not replace it. Concurrent processes create one. @returns null if it already exists
 */
export async function ensureFirstOwner(
  database: Database,
  keys: KeysService,
  given: { email: string | undefined; password: string | undefined },
): Promise<FirstOwner | null> {
  if (await hasOperator(database.em())) return null;
  const email = parseEmail(given.email ?? OWNER_EMAIL);
  const password = given.password ?? randomBytes(15).toString('base64url');
  // Before the transaction, so that nothing slow happens while the lock is held.
  const passwordHash = await hashPassword(password);
  return database.em().transactional(async (em) => {
    await em.execute(`select pg_advisory_xact_lock(${FIRST_OWNER_LOCK})`);
    if (await hasOperator(em)) return null;
    const { user, account } = buildUser(em, {
      email,
      name: 'Owner',
      passwordHash,
      plan: 'enterprise',
      emailVerified: true,
      isOperator: true,
    });
    await em.flush();
    const { secret } = keys.build(em, account.id, user.id, {
      name: 'First key',
      scopes: ['inference', 'read', 'manage'],
      role: 'owner',
    });
    return { email, generatedPassword: given.password === undefined ? password : null, apiKey: secret };
  });
}

/** Also if it was erased: no other account becomes the operator's. */
async function hasOperator(em: EntityManager): Promise<boolean> {
  return (await em.count(Account, { isOperator: true })) > 0;
}
