import { SpendingApprovals } from '../../../src/services/accounts/spending-approvals.ts';
import { beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { Membership, User } from '../../../src/database/entities/index.ts';
import { SignInThrottle } from '../../../src/services/accounts/sign-in-throttle.ts';
import { issueMailToken } from '../../../src/services/identity/mails/mail-tokens.ts';
import { ProfileService } from '../../../src/services/identity/profile.service.ts';
import { EarlierAccess } from '../../../src/services/members/earlier-access.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { origin, Team, type Person } from './team.ts';

const everything = { scopes: ['inference', 'read', 'manage'] as const, role: 'owner' as const };

describeWithDatabase('a password reset by the owner of an address', (databases) => {
  let database: Database;
  let team: Team;
  let profiles: ProfileService;

  beforeEach(async () => {
    database = await databases.open();
    team = new Team(database);
    const { sessions, roles, keysService: keys } = team;
    profiles = new ProfileService({
      database,
      sessions,
      secondFactor: { check: async () => undefined },
      throttles: { accounts: new SignInThrottle(100), addresses: new SignInThrottle(100) },
      mails: { verification: async () => undefined, reset: async () => undefined, notify: () => undefined },
      approvals: new SpendingApprovals(database, team.keys),
      earlierAccess: new EarlierAccess({
        sessions,
        roles,
        keys,
        connectionCache: { changed: async () => undefined },
        defaultPlan: () => 'free',
      }),
    });
  });

  /** By the mailed link. */
  async function reset({ userId }: Person): Promise<Person> {
    const em = database.em();
    const user = await em.findOneOrFail(User, { id: userId });
    const token = (await issueMailToken(em, user, 'reset', user.email)) ?? '';
    const session = await profiles.resetPassword({ token, password: 'four quiet herons at dusk' }, origin);
    return { token: session.token, ...(await team.identity(session.token)) };
  }

  async function newKey({ accountId, userId }: Person): Promise<string> {
    const { secret } = await team.keysService.create(accountId, userId, {
      name: 'k',
      ...everything,
      scopes: [...everything.scopes],
    });
    // It is cached now.
    expect(await team.keys.find(secret)).toMatchObject({ accountId });
    return secret;
  }

  const membersOf = async (accountId: string): Promise<string[]> =>
    (await database.em().find(Membership, { account: accountId })).map(({ user }) => user.id);

  it('removes all earlier access: keys, members and invitations', async () => {
    const stranger = await team.person();
    const { accountId, userId } = stranger;
    const accomplice = await team.member(stranger, 'owner');
    // A member who was invited by someone the stranger had invited.
    const another = await team.member(accomplice, 'owner');
    const secrets = [await newKey(stranger), await newKey(accomplice)];
    const by = { userId: another.userId, own: ['owner'] as const };
    await team.invitations.invite(accountId, by, { email: 'later@example.com', role: 'owner' });
    const invitation = team.lastToken();

    const owner = await reset(stranger);
    expect(owner).toMatchObject({ userId, accountId, memberships: [{ role: 'owner' }] });
    expect(await membersOf(accountId)).toEqual([userId]);
    for (const secret of secrets)
      await expect(async () => team.keys.find(secret)).rejects.toMatchObject({ code: 'invalid_api_key' });
    await expect(team.person({ email: 'later@example.com', token: invitation })).rejects.toMatchObject({
      code: 'invitation_invalid',
    });
    expect(await team.sessions.authenticate(stranger.token)).toBeNull();
    expect(await team.identity(another.token)).toMatchObject({ memberships: [] });
    expect((await team.keys.dashboardKey(accountId, userId)).accountId).toBe(accountId);
  });

  it('removes the user from an account that was transferred meanwhile, and creates a new one', async () => {
    const stranger = await team.person();
    const accomplice = await team.member(stranger, 'admin');
    await team.members.transfer(stranger.accountId, stranger.userId, accomplice.memberId);
    const secret = await newKey(accomplice);
    const owner = await reset(stranger);
    expect(owner.memberships).toMatchObject([{ role: 'owner' }]);
    expect(owner.accountId).not.toBe(stranger.accountId);
    expect(await membersOf(stranger.accountId)).toEqual([accomplice.userId]);
    expect(await team.keys.find(secret)).toMatchObject({ accountId: stranger.accountId });
  });

  it('changes nothing else for a user with a confirmed address', async () => {
    const person = await team.person();
    await database.em().nativeUpdate(User, { id: person.userId }, { emailVerifiedAt: new Date() });
    const member = await team.member(person, 'admin');
    const secret = await newKey(person);
    await reset(person);
    expect((await membersOf(person.accountId)).toSorted()).toEqual([person.userId, member.userId].toSorted());
    expect(await team.keys.find(secret)).toMatchObject({ accountId: person.accountId });
  });
});
