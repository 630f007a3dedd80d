import { expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { SessionsService } from '../../../src/services/sessions/sessions.service.ts';
import { SignInThrottle } from '../../../src/services/accounts/sign-in-throttle.ts';
import { ProfileService } from '../../../src/services/identity/profile.service.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

/** A database that reports each query. */
function watched(database: Database, onLook: () => void): Database {
  return new Proxy(database, {
    get: (target, member) => {
      onLook();
      return Reflect.get(target, member, target);
    },
  });
}

describeWithDatabase('a password reset request', (databases) => {
  it('does the same work for every address, without a lookup', async () => {
    let looks = 0;
    const clock = new FakeClock();
    const database = watched(await databases.open(), () => looks++);
    const asked: string[] = [];
    const profiles = new ProfileService({
      database,
      sessions: new SessionsService(database),
      secondFactor: { check: async () => undefined },
      throttles: { accounts: new SignInThrottle(2, clock), addresses: new SignInThrottle(3, clock) },
      mails: {
        verification: async () => undefined,
        reset: async (email) => void asked.push(email),
        notify: () => undefined,
      },
      approvals: { addressVerified: async () => () => undefined },
      earlierAccess: { end: async () => async () => undefined },
    });
    const origin = { address: '192.0.2.1', userAgent: null };
    for (const email of ['Ada@example.com ', 'nobody@example.com', 'no address at all'])
      await profiles.requestPasswordReset(email, origin);
    expect(looks).toBe(0);
    expect(asked).toEqual(['ada@example.com', 'nobody@example.com', 'no address at all']);
    await expect(profiles.requestPasswordReset('ada@example.com', origin)).rejects.toMatchObject({
      code: 'too_many_attempts',
    });
  });
});
