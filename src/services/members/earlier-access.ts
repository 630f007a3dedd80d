import type { EntityManager } from '@mikro-orm/postgresql';
import { AlertChannel, Invitation, Membership, User, Webhook } from '../../database/entities/index.ts';
import { buildAccount } from '../accounts/build-account.ts';
import type { SessionsService } from '../sessions/sessions.service.ts';
import { removeAll, type ConnectionCache } from '../connections/account-change.ts';
import type { KeysService } from '../keys/keys.service.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { revokeInvitationsOf } from './inviters.ts';
import type { MemberRoles } from '../authorization/member-roles.ts';

export interface EarlierAccessDependencies {
  readonly sessions: Pick<SessionsService, 'membershipChanged'>;
  readonly roles: Pick<MemberRoles, 'forget'>;
  readonly keys: Pick<KeysService, 'revokeAll'>;
  readonly connectionCache: ConnectionCache;
  /** The plan of new accounts. */
  readonly defaultPlan: () => string;
}

/**
 * Removes access that someone who signed up with an unconfirmed address may have left in accounts, so that they cannot return
 * once its owner confirms it. All other members of an account that they created joined through them. Where no mail can be
 * sent, they may also have accepted an invitation, whose link proved nothing.
 */
export class EarlierAccess {
  readonly #dependencies: EarlierAccessDependencies;

  constructor(dependencies: EarlierAccessDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Leaves the user as the only member of the accounts that they own, without keys, open invitations, provider connections,
   * webhooks and alert channels: these could receive prompts and events. The user leaves accounts of other owners, unless no owner would remain;
   * a user without an account after that gets a new one.
   * @returns applies the changes in this process, to be called after commit
   */
  async end(em: EntityManager, userId: string): Promise<() => Promise<void>> {
    const applyAfterCommit: (() => unknown)[] = [];
    const own = { user: userId, account: { erasedAt: null } };
    const accounts = (await em.find(Membership, own)).map(({ account }) => account.id);
    let owned = 0;
    for (const accountId of accounts.toSorted()) {
      await lockAccount(em, accountId);
      const members = await em.find(Membership, { account: accountId }, { populate: ['user'], refresh: true });
      const owners = members.filter(({ role }) => role === 'owner');
      const isOwner = owners.some(({ user }) => user.id === userId);
      const isMaker = oldest(members)?.user.id === userId;
      if (isOwner && (isMaker || owners.length === 1)) owned++;
      // An account that its creator transferred to the user.
      if (isOwner && !isMaker && owners.length === 1) continue;
      const stays = isOwner && isMaker;
      const leaving = members.filter(({ user }) => (user.id === userId) !== stays);
      for (const membership of leaving) em.remove(membership);
      if (stays) applyAfterCommit.push(...(await this.#closeToOthers(em, accountId)));
      else await revokeInvitationsOf(em, accountId, userId, null);
      applyAfterCommit.push(() => this.#left(accountId, leaving));
    }
    await em.flush();
    if (owned === 0) await this.#newAccount(em, userId);
    return async () => {
      await Promise.all(applyAfterCommit.map((apply) => apply()));
    };
  }

  async #closeToOthers(em: EntityManager, accountId: string): Promise<(() => unknown)[]> {
    const { keys, connectionCache } = this.#dependencies;
    const open = { account: accountId, acceptedAt: null, revokedAt: null };
    for (const invitation of await em.find(Invitation, open)) invitation.revokedAt = new Date();
    for (const webhook of await em.find(Webhook, { account: accountId })) em.remove(webhook);
    for (const channel of await em.find(AlertChannel, { account: accountId })) em.remove(channel);
    return [await keys.revokeAll(em, accountId), await removeAll(em, connectionCache, accountId)];
  }

  async #newAccount(em: EntityManager, userId: string): Promise<void> {
    const user = await em.findOneOrFail(User, { id: userId });
    buildAccount(em, user, { name: `${user.name}'s account`, plan: this.#dependencies.defaultPlan() });
    await em.flush();
  }

  #left(accountId: string, memberships: readonly Membership[]): void {
    for (const { user } of memberships) {
      this.#dependencies.roles.forget(accountId, user.id);
      this.#dependencies.sessions.membershipChanged(user.id, accountId);
    }
  }
}

function oldest(members: readonly Membership[]): Membership | undefined {
  return members.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())[0];
}
