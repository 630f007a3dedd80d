import type { Database } from '../../database/database.ts';
import { User } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { verifyPassword } from '../passwords/passwords.ts';
import type { SignInThrottle } from '../accounts/sign-in-throttle.ts';

/** @throws SluiceError unauthenticated if the user no longer exists */
export async function ownUser(database: Database, userId: string): Promise<User> {
  const user = await database.em().findOne(User, { id: userId });
  if (user === null) throw new SluiceError('unauthenticated');
  return user;
}

/**
 * Requires the password again for actions that an unattended session must not allow. A wrong password counts as a failed
 * sign-in.
 * @throws SluiceError password_not_set | invalid_credentials | too_many_attempts
 */
export async function confirmPassword(user: User, password: string, throttle: SignInThrottle): Promise<void> {
  if (user.passwordHash === null) throw new SluiceError('password_not_set');
  await throttle.attempt(user.email);
  if (!(await verifyPassword(user.passwordHash, password))) throw new SluiceError('invalid_credentials');
  throttle.succeeded(user.email);
}
