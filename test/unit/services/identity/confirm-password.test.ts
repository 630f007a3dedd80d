import { expect, it } from 'vitest';
import { User } from '../../../../src/database/entities/index.ts';
import { hashPassword } from '../../../../src/services/passwords/passwords.ts';
import { SignInThrottle } from '../../../../src/services/accounts/sign-in-throttle.ts';
import { confirmPassword } from '../../../../src/services/identity/own-user.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

it('slows down guesses of the password in an open session', async () => {
  const throttle = new SignInThrottle(2, new FakeClock());
  const user = new User();
  user.email = 'ada@example.com';
  user.passwordHash = await hashPassword('correct horse battery');
  for (let guess = 0; guess < 2; guess++)
    await expect(confirmPassword(user, 'wrong', throttle)).rejects.toMatchObject({ code: 'invalid_credentials' });
  await expect(confirmPassword(user, 'correct horse battery', throttle)).rejects.toMatchObject({
    code: 'too_many_attempts',
  });
});
