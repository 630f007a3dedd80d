import { expect, it, vi } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { LinkedIdentity, User } from '../../../src/database/entities/index.ts';
import { buildUser } from '../../../src/services/accounts/build-account.ts';
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

  it('is linked once when two requests of one user link it at once, and to no second user', async () => {
    const database = await databases.open();
    const notified: string[] = [];
    const users = new LinkedUsers({
      database,
      signUp: 'off',
      defaultPlan: () => 'free',
      invitations: { takeFor: async () => false },
      approvals: { addressVerified: async () => () => undefined },
      mails: { verificationSoon: () => undefined, notify: (email) => void notified.push(email) },
    });
    const [grace, joan] = [await newUser(database, 'grace@example.com'), await newUser(database, 'joan@example.com')];
    const identity = { issuer: provider.issuer, subject: '2', email: null, emailVerified: false, name: null };
    await users.link(grace, identity, provider);
    // As if each had read before the first one was stored.
    const owner = vi.spyOn(users, 'ownerOf');
    owner.mockResolvedValueOnce(null);
    await users.link(grace, identity, provider);
    owner.mockResolvedValueOnce(null);
    await expect(users.link(joan, identity, provider)).rejects.toMatchObject({ code: 'identity_taken' });
    expect(await database.em().count(LinkedIdentity, { issuer: provider.issuer, subject: '2' })).toBe(1);
    expect(notified).toEqual(['grace@example.com']);
  });
});

async function newUser(database: Database, email: string): Promise<string> {
  const em = database.em();
  const { user } = buildUser(em, { email, name: 'P', passwordHash: 'none', plan: 'free' });
  await em.flush();
  return user.id;
}
