import { beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { User } from '../../../src/database/entities/index.ts';
import type { Mail } from '../../../src/mail/mail.ts';
import { SignInThrottle } from '../../../src/services/accounts/sign-in-throttle.ts';
import { InvitationsService, type InvitationsDependencies } from '../../../src/services/members/invitations.service.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { Team, type Person } from './team.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

describeWithDatabase('mailed invitations', (databases) => {
  let database: Database;
  let team: Team;
  let owner: Person;
  let mails: Mail[];

  beforeEach(async () => {
    database = await databases.open();
    team = new Team(database);
    owner = await team.person();
    mails = [];
  });

  function service(dependencies: Partial<InvitationsDependencies> = {}): InvitationsService {
    return new InvitationsService({
      database,
      mailer: { send: async (mail) => void mails.push(mail) },
      sessions: team.sessions,
      throttle: new SignInThrottle(1_000),
      publicUrl: () => 'https://gateway.example',
      sendsMail: true,
      ...dependencies,
    });
  }

  const invite = (invitations: InvitationsService, person: Person, email: string) =>
    invitations.invite(person.accountId, { userId: person.userId, own: ['owner'] }, { email, role: 'viewer' });

  const prove = (person: Person) =>
    database.em().nativeUpdate(User, { id: person.userId }, { emailVerifiedAt: new Date() });

  it('require a confirmed address of the inviter', async () => {
    const open = await invite(service({ sendsMail: false }), owner, 'before@example.com');
    mails = [];
    await expect(invite(service(), owner, 'guest@example.com')).rejects.toMatchObject({ code: 'email_not_verified' });
    await expect(service().resend(owner.accountId, ['owner'], open.id)).rejects.toMatchObject({
      code: 'email_not_verified',
    });
    expect(mails).toEqual([]);
    await prove(owner);
    await invite(service(), owner, 'guest@example.com');
    expect(mails).toHaveLength(1);
  });

  it('contain no text that the inviter could choose, except their confirmed address', async () => {
    await prove(owner);
    const canary = 'Win a prize at evil.example';
    await database.query('update accounts set name = $1 where id = $2', [canary, owner.accountId]);
    await database.query('update users set name = $1 where id = $2', [canary, owner.userId]);
    await invite(service(), owner, 'guest@example.com');
    expect(JSON.stringify(mails)).not.toContain('evil.example');
    expect(mails[0]?.text).toContain(`${owner.email} invites you to join an account on Sluice as a viewer`);
  });

  it('are limited per recipient, increasingly, across inviters', async () => {
    const recipientThrottle = new SignInThrottle(2, new FakeClock());
    const others = [owner, await team.person(), await team.person()];
    for (const person of others) await prove(person);
    const [first, second, third] = others.map(
      (person) => () => invite(service({ recipientThrottle }), person, 'guest@example.com'),
    );
    await first?.();
    await second?.();
    await expect(third?.()).rejects.toMatchObject({ code: 'too_many_attempts' });
    expect(mails).toHaveLength(2);
  });

  it('can be disabled by the operator', async () => {
    await prove(owner);
    await expect(invite(service({ isOpen: false }), owner, 'guest@example.com')).rejects.toMatchObject({
      code: 'invitations_closed',
    });
    expect(mails).toEqual([]);
  });
});
