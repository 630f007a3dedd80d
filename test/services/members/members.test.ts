import { beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { Invitation, Membership, SavedView } from '../../../src/database/entities/index.ts';
import { watchAccounts } from '../../../src/services/members/watch-accounts.ts';
import { SavedViewsService } from '../../../src/services/saved-views/saved-views.service.ts';
import { Arrivals } from '../../harness/arrivals.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { origin, password, Team } from './team.ts';

describeWithDatabase('members and invitations', (databases) => {
  let database: Database;
  let team: Team;

  beforeEach(async () => {
    database = await databases.open();
    team = new Team(database);
  });

  it('use a link that works once, is not stored, and is bound to the address', async () => {
    const owner = await team.person();
    const by = { userId: owner.userId, own: ['owner'] as const };
    await team.invitations.invite(owner.accountId, by, { email: ' New@Example.com', role: 'developer' });
    const [mail] = team.mails;
    expect(mail).toMatchObject({ to: 'new@example.com', subject: 'Invitation to an account on Sluice' });
    const token = team.lastToken();
    expect(mail?.text).toContain(`https://gateway.example/invitation#token=${token}`);
    const stored = JSON.stringify(await database.query('select * from invitations'));
    const audited = JSON.stringify(await database.query('select * from audit_entries'));
    expect(stored + audited).not.toContain(token);
    expect(await team.invitations.offer(token)).toEqual({
      accountName: "P's account",
      role: 'developer',
      email: 'new@example.com',
      expired: false,
    });
    const person = await team.person({ email: 'new@example.com', token });
    expect(person.memberships).toMatchObject([{ accountId: owner.accountId, role: 'developer' }]);
    expect(await team.invitations.offer(token)).toBeNull();
    await expect(team.person({ email: 'other@example.com', token })).rejects.toMatchObject({
      code: 'invitation_invalid',
    });
    expect(await team.invitations.count(owner.accountId)).toBe(0);
  });

  it('allow sign-up where it is by invitation only', async () => {
    const owner = await team.person();
    const closed = new Team(database, 'invite');
    await expect(closed.person()).rejects.toMatchObject({ code: 'sign_up_closed' });
    await team.invitations.invite(
      owner.accountId,
      { userId: owner.userId, own: ['owner'] },
      { email: 'a@example.com', role: 'viewer' },
    );
    const token = team.lastToken();
    await expect(closed.person({ email: 'b@example.com', token })).rejects.toMatchObject({
      code: 'invitation_for_other',
    });
    expect((await closed.person({ email: 'a@example.com', token })).memberships).toHaveLength(1);
    await expect(new Team(database, 'off').person({ email: 'c@example.com', token })).rejects.toMatchObject({
      code: 'sign_up_closed',
    });
  });

  it('are accepted by existing users with their own address, also concurrently', async () => {
    const [owner, guest, other] = [await team.person(), await team.person(), await team.person()];
    const by = { userId: owner.userId, own: ['owner'] as const };
    await team.invitations.invite(owner.accountId, by, { email: guest.email, role: 'billing' });
    const token = team.lastToken();
    await expect(team.invitations.accept(token, other.userId)).rejects.toMatchObject({ code: 'invitation_for_other' });
    const both = await Promise.allSettled([
      team.invitations.accept(token, guest.userId),
      team.invitations.accept(token, guest.userId),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect((await team.identity(guest.token)).memberships.map(({ role }) => role)).toEqual(['owner', 'billing']);
    const again = team.invitations.invite(owner.accountId, by, { email: guest.email, role: 'viewer' });
    await expect(again).rejects.toMatchObject({ code: 'already_member' });
  });

  it('are open once per address, can be resent and revoked, and expire', async () => {
    const [owner, guest] = [await team.person(), await team.person()];
    const by = { userId: owner.userId, own: ['owner'] as const };
    const input = { email: guest.email, role: 'viewer' } as const;
    const { id } = await team.invitations.invite(owner.accountId, by, input);
    const first = team.lastToken();
    await expect(team.invitations.invite(owner.accountId, by, input)).rejects.toMatchObject({
      code: 'already_invited',
    });
    await team.invitations.resend(owner.accountId, ['owner'], id);
    const second = team.lastToken();
    expect(second).not.toBe(first);
    await expect(team.invitations.accept(first, guest.userId)).rejects.toMatchObject({ code: 'invitation_invalid' });
    await database.em().nativeUpdate(Invitation, { id }, { expiresAt: new Date(Date.now() - 1) });
    expect(await team.invitations.offer(second)).toMatchObject({ expired: true });
    await expect(team.invitations.accept(second, guest.userId)).rejects.toMatchObject({ code: 'invitation_invalid' });
    const { id: next } = await team.invitations.invite(owner.accountId, by, input);
    await team.invitations.revoke(owner.accountId, ['owner'], next);
    await expect(team.invitations.accept(team.lastToken(), guest.userId)).rejects.toMatchObject({
      code: 'invitation_invalid',
    });
    const foreign = team.invitations.revoke(guest.accountId, ['owner'], next);
    await expect(foreign).rejects.toMatchObject({ code: 'not_found' });
  });

  it('take effect immediately in one process, and within a second in others', async () => {
    const owner = await team.person();
    const member = await team.member(owner, 'admin');
    const other = new Team(database);
    const told: string[] = [];
    team.sessions.onMembershipChanged((userId) => told.push(userId));
    const { secret } = await team.keysService.create(owner.accountId, member.userId, {
      name: 'k',
      scopes: ['inference', 'read', 'manage'],
      role: 'admin',
    });
    const credentials = { apiKey: secret, sessionToken: null, accountId: null };
    const [here, there] = [await team.callers.find(credentials), await other.callers.find(credentials)];
    await team.callers.require(here, 'webhooks.write');
    await other.callers.require(there, 'webhooks.write');
    await team.members.changeRole(owner.accountId, ['owner'], member.memberId, 'developer');
    expect(told).toEqual([member.userId]);
    await expect(team.callers.require(here, 'webhooks.write')).rejects.toMatchObject({ code: 'forbidden' });
    await team.callers.require(here, 'keys.write');
    expect((await team.identity(member.token)).memberships).toMatchObject([{ role: 'developer' }]);
    await team.members.remove(owner.accountId, ['owner'], member.memberId);
    for (const action of ['keys.write', 'usage.read'] as const)
      await expect(team.callers.require(here, action)).rejects.toMatchObject({ code: 'forbidden' });
    await team.callers.require(here, 'completions.run');
    expect((await team.identity(member.token)).memberships).toEqual([]);
    const session = { apiKey: null, sessionToken: member.token, accountId: owner.accountId };
    await expect(team.callers.find(session)).rejects.toMatchObject({ code: 'not_found' });
    const seen = new Arrivals<string[]>();
    const stop = watchAccounts(database.changes, {
      memberChanged: (...change) => seen.push(change),
      accountChanged: () => undefined,
    });
    await database.changes.poll();
    await seen.whenIncludes([owner.accountId, member.userId]);
    stop();
    other.roles.forget(owner.accountId, member.userId);
    await expect(other.callers.require(there, 'usage.read')).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('leave only their shared views behind', async () => {
    const owner = await team.person();
    const member = await team.member(owner, 'developer');
    const views = new SavedViewsService(database);
    const { accountId } = owner;
    const save = (userId: string, name: string, isShared: boolean): Promise<unknown> =>
      views.create(
        { accountId, userId, requireSharing: async () => undefined },
        { name, page: 'analytics', search: '', isShared },
      );
    await save(member.userId, 'private', false);
    await save(member.userId, 'shared', true);
    await save(owner.userId, 'private of another', false);
    await team.members.leave(accountId, member.userId);
    const left = await database.em().find(SavedView, { account: accountId }, { orderBy: { name: 'asc' } });
    expect(left.map(({ name }) => name)).toEqual(['private of another', 'shared']);
  });

  it('always retain an owner, also when two leave concurrently', async () => {
    const owner = await team.person();
    const leave = (): Promise<void> => team.members.leave(owner.accountId, owner.userId);
    await expect(leave()).rejects.toMatchObject({ code: 'last_owner' });
    const second = await team.member(owner, 'owner');
    const both = await Promise.allSettled([leave(), team.members.leave(owner.accountId, second.userId)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await database.em().count(Membership, { account: owner.accountId, role: 'owner' })).toBe(1);
  });

  it('cannot grant or remove more than their own permissions', async () => {
    const owner = await team.person();
    const [admin, viewer] = [await team.member(owner, 'admin'), await team.member(owner, 'viewer')];
    const { rows } = await team.members.list(owner.accountId, { limit: 10 });
    const ownerId = rows[0]?.membership.id ?? '';
    const forbidden = { code: 'forbidden' };
    const { accountId } = owner;
    await expect(team.members.changeRole(accountId, ['admin'], viewer.memberId, 'owner')).rejects.toMatchObject(
      forbidden,
    );
    await expect(team.members.changeRole(accountId, ['admin'], ownerId, 'viewer')).rejects.toMatchObject(forbidden);
    await expect(team.members.remove(accountId, ['admin'], ownerId)).rejects.toMatchObject(forbidden);
    await expect(team.members.remove(accountId, [], viewer.memberId)).rejects.toMatchObject(forbidden);
    const by = { userId: admin.userId, own: ['admin'] as const };
    const invite = team.invitations.invite(accountId, by, { email: 'x@example.com', role: 'owner' });
    await expect(invite).rejects.toMatchObject(forbidden);
    await team.members.changeRole(accountId, ['admin'], viewer.memberId, 'admin');
    const elsewhere = await team.person();
    const foreign = team.members.changeRole(elsewhere.accountId, ['owner'], viewer.memberId, 'viewer');
    await expect(foreign).rejects.toMatchObject({ code: 'not_found' });
    await expect(team.members.changeRole(accountId, ['owner'], ownerId, 'viewer')).rejects.toMatchObject({
      code: 'last_owner',
    });
  });

  it('cannot return by an invitation of their own after a removal or a lower role', async () => {
    const owner = await team.person();
    const invite = async ({ userId }: { userId: string }, email: string, role: 'owner' | 'admin' | 'viewer') => {
      const own = [role === 'owner' ? ('owner' as const) : ('admin' as const)];
      await team.invitations.invite(owner.accountId, { userId, own }, { email, role });
      return { email, token: team.lastToken() };
    };
    const [removed, demoted, left, former] = [
      await team.member(owner, 'admin'),
      await team.member(owner, 'admin'),
      await team.member(owner, 'admin'),
      await team.member(owner, 'owner'),
    ];
    const lost = [
      await invite(removed, 'removed@example.com', 'viewer'),
      await invite(demoted, 'demoted@example.com', 'admin'),
      await invite(left, 'left@example.com', 'viewer'),
      await invite(former, 'former@example.com', 'owner'),
    ];
    const kept = await invite(former, 'kept@example.com', 'viewer');
    await team.members.remove(owner.accountId, ['owner'], removed.memberId);
    await team.members.changeRole(owner.accountId, ['owner'], demoted.memberId, 'developer');
    await team.members.leave(owner.accountId, left.userId);
    await team.members.changeRole(owner.accountId, ['owner'], former.memberId, 'admin');
    for (const each of lost) await expect(team.person(each)).rejects.toMatchObject({ code: 'invitation_invalid' });
    expect((await team.person(kept)).memberships).toMatchObject([{ role: 'viewer' }]);
    expect(await team.invitations.count(owner.accountId)).toBe(0);
    // Nor by a pending one.
    for (const each of [removed, demoted, left])
      await expect(invite(each, 'late@example.com', 'viewer')).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('transfer an account: the new owner is the only one, the previous one an administrator', async () => {
    const owner = await team.person();
    const member = await team.member(owner, 'viewer');
    await expect(team.members.transfer(owner.accountId, member.userId, member.memberId)).rejects.toMatchObject({
      code: 'forbidden',
    });
    await team.members.transfer(owner.accountId, owner.userId, member.memberId);
    const { rows } = await team.members.list(owner.accountId, { limit: 10 });
    expect(rows.map(({ membership }) => membership.role)).toEqual(['admin', 'owner']);
    expect(rows[0]?.lastSeenAt).toBeInstanceOf(Date);
    expect((await team.identity(owner.token)).memberships).toMatchObject([{ role: 'admin' }]);
  });

  it('are paged from either end', async () => {
    const owner = await team.person();
    for (const role of ['admin', 'developer', 'billing'] as const) await team.member(owner, role);
    const list = async (page: object): Promise<string[]> =>
      (await team.members.list(owner.accountId, { limit: 2, ...page })).rows.map(({ membership }) => membership.role);
    expect(await list({})).toEqual(['owner', 'admin']);
    expect(await list({ backwards: true })).toEqual(['billing', 'developer']);
    const { rows } = await team.members.list(owner.accountId, { limit: 2 });
    const last = rows.at(-1)?.membership;
    const from = last && { createdAt: last.createdAt, id: last.id };
    expect(await list({ from })).toEqual(['developer', 'billing']);
    expect(await list({ from, backwards: true })).toEqual(['owner']);
    expect(await team.members.count(owner.accountId)).toBe(4);
  });

  it('sign in to the active account, and to each by its id', async () => {
    const person = await team.person();
    const second = await team.lifecycle.create(person.userId, { name: 'Second', timeZone: 'Europe/Berlin' });
    await team.lifecycle.delete(person.accountId, "P's account");
    const credentials = { apiKey: null, sessionToken: person.token };
    expect(await team.callers.find({ ...credentials, accountId: null })).toMatchObject({ accountId: second.id });
    const deleted = await team.callers.find({ ...credentials, accountId: person.accountId });
    await expect(team.callers.require(deleted, 'keys.write')).rejects.toMatchObject({ code: 'account_deleted' });
    await team.callers.require(deleted, 'account.delete');
    const closed = new Team(database, 'invite');
    const { token } = await closed.accounts.signIn({ email: person.email, password }, origin);
    expect((await closed.identity(token)).memberships).toHaveLength(2);
  });
});
