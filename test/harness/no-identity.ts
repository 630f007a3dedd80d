import type { IdentityParts } from '../../src/services/accounts/accounts.service.ts';

/** For tests of what stands beside it: nobody has an authenticator app, and no mail is sent. */
export const noIdentity: IdentityParts = {
  secondFactor: { check: async () => undefined },
  mails: { verificationSoon: () => undefined },
};
