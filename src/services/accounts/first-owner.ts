import { randomBytes } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import { User } from '../../database/entities/index.ts';
import type { KeysService } from '../keys/keys.service.ts';
import { buildUser, parseEmail } from './accounts.service.ts';
import { hashPassword } from './passwords.ts';

const OWNER_EMAIL = 'owner@sluice.local';
/** Any constant that nothing else in the database locks: the bytes of "owner". */
const FIRST_OWNER_LOCK = 0x6f776e6572;

export interface FirstOwner {
  readonly email: string;
  /** Null where the operator gave it. */
  readonly generatedPassword: string | null;
  /** Shown once. */
  readonly apiKey: string;
}

/**
 * Makes the first owner, with an account and a key of every scope, where there is no user yet.
 * Processes that start together make one. @returns null where there is a user
 */
export async function ensureFirstOwner(
  database: Database,
  keys: KeysService,
  given: { email: string | undefined; password: string | undefined },
): Promise<FirstOwner | null> {
  if ((await database.em().count(User)) > 0) return null;
  const email = parseEmail(given.email ?? OWNER_EMAIL);
  const password = given.password ?? randomBytes(15).toString('base64url');
  // Before the transaction: nothing slow is awaited while the lock is held.
  const passwordHash = await hashPassword(password);
  return database.em().transactional(async (em) => {
    await em.execute(`select pg_advisory_xact_lock(${FIRST_OWNER_LOCK})`);
    if ((await em.count(User)) > 0) return null;
    const { user, account } = buildUser(em, {
      email,
      name: 'Owner',
      passwordHash,
      plan: 'enterprise',
      emailVerified: true,
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
