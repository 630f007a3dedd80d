import { expect, it } from 'vitest';
import { User } from '../../../src/database/entities/index.ts';
import { LinkedUsers } from '../../../src/services/identity/external/linked-users.ts';
import { describeWithDatabase } from '../../harness/databases.ts';

const provider = {
  id: 'work',
  name: 'Work',
  kind: 'openid',
  issuer: 'https://issuer.example',
  clientId: 'sluice',
  clientSecret: null,
  scopes: ['openid'],
  trustsEmail: false,
  allowsHttp: false,
} as const;

describeWithDatabase('a sign-in through an identity provider', (databases) => {
  it('creates no user if sign-up is off, with or without an invitation', async () => {
    const database = await databases.open();
    const users = new LinkedUsers({
      database,
      signUp: 'off',
      defaultPlan: () => 'free',
      invitations: { takeFor: async () => true },
      approvals: { addressVerified: async () => () => undefined },
      mails: { verificationSoon: () => undefined, notify: () => undefined },
    });
    const email = 'ada@example.com';
    const identity = { issuer: provider.issuer, subject: '1', email, emailVerified: true, name: 'Ada' };
    await expect(users.resolveUser(identity, provider)).rejects.toMatchObject({ code: 'sign_up_closed' });
    expect(await database.em().count(User, { email })).toBe(0);
  });
});
