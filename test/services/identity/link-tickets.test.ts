import { expect, it } from 'vitest';
import { Session } from '../../../src/database/entities/index.ts';
import { buildUser } from '../../../src/services/accounts/build-account.ts';
import { SignInThrottle } from '../../../src/services/accounts/sign-in-throttle.ts';
import { CredentialVault } from '../../../src/services/connections/credential-vault.ts';
import { CookieSeal } from '../../../src/services/identity/cookie-seal.ts';
import { LinkTickets } from '../../../src/services/identity/external/link-tickets.ts';
import { describeWithDatabase } from '../../harness/databases.ts';

const MINUTE_MS = 60_000;
const vault = new CredentialVault([{ version: 1, masterKey: 'a master key for tests, long enough' }]);

describeWithDatabase('a ticket to link an identity', (databases) => {
  it('requires a sign-in within the last 10 minutes from users without a password', async () => {
    const database = await databases.open();
    const em = database.em();
    const { user } = buildUser(em, { email: 'ada@example.com', name: 'Ada', passwordHash: null, plan: 'free' });
    user.emailVerifiedAt = new Date();
    const now = new Date();
    const expiresAt = new Date(now.getTime() + 60 * MINUTE_MS);
    const session = em.create(Session, {
      user,
      tokenHash: Buffer.alloc(32),
      createdAt: now,
      lastSeenAt: now,
      expiresAt,
      address: null,
      userAgent: null,
    });
    await em.persist(session).flush();
    const sessionId = session.id;
    const tickets = new LinkTickets({
      database,
      seal: new CookieSeal(vault),
      secondFactor: { check: async () => undefined },
      throttle: new SignInThrottle(100),
    });
    const linker = { userId: user.id, sessionId };
    const signedInBefore = (minutes: number) =>
      database.em().nativeUpdate(Session, { id: sessionId }, { createdAt: new Date(Date.now() - minutes * MINUTE_MS) });
    await signedInBefore(9);
    await tickets.take(linker, 'work', await tickets.issue(linker, 'work', {}));
    await signedInBefore(11);
    await expect(tickets.issue(linker, 'work', {})).rejects.toMatchObject({ code: 'recent_sign_in_required' });
  });
});
