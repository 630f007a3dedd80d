import type { SignedIn } from '../../src/services/identity/signed-in.ts';
import type { AccountsService, IdentityDependencies, NewUser } from '../../src/services/identity/accounts.service.ts';

/** For tests of what stands beside it: nobody has an authenticator app, and no mail is sent. */
export const noIdentity: IdentityDependencies = {
  secondFactor: { check: async () => undefined },
  mails: { verificationSoon: () => undefined },
};

/** Signs up where no mail is sent: at once. */
export async function signUpAtOnce(
  accounts: AccountsService,
  input: NewUser,
  origin: Parameters<AccountsService['signUp']>[1],
): Promise<SignedIn> {
  const outcome = await accounts.signUp(input, origin);
  if ('pendingEmail' in outcome) throw new Error('the sign-up waits for a mail');
  return outcome;
}
