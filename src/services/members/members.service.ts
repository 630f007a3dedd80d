import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import type { Database } from '../../database/database.ts';
import { Membership, SavedView, User, type MembershipRole } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { requireAssignableRole } from '../authorization/authorization.ts';
import type { SessionsService } from '../sessions/sessions.service.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { isUuid } from '../uuid.ts';
import { lockAccount, requireOtherOwner } from '../accounts/account-lock.ts';
import { revokeInvitationsOf } from './inviters.ts';
import type { MemberRoles } from '../authorization/member-roles.ts';
import { pageOf, type Page, type PageRequest } from '../page-by-creation.ts';

export interface MembersDependencies {
  readonly database: Database;
  readonly sessions: Pick<SessionsService, 'membershipChanged'>;
  readonly roles: Pick<MemberRoles, 'forget'>;
}

/** Filters members; all conditions must match. */
export interface MemberFilter {
  /** Part of the name or e-mail address, case-insensitive. */
  readonly nameContains?: string | undefined;
  readonly userIds?: readonly string[] | undefined;
}

export interface SeenMember {
  readonly membership: Membership;
  /** The latest use of any of their sessions; null if they have none. */
  readonly lastSeenAt: Date | null;
}

/**
 * Members of an account and their roles. Another account's member is not found. A change takes effect with the next request,
 * also for keys that act for the member. Every method also throws SluiceError database_unavailable.
 */
export class MembersService {
  readonly #dependencies: MembersDependencies;

  constructor(dependencies: MembersDependencies) {
    this.#dependencies = dependencies;
  }

  /** In the order in which they joined. */
  list(accountId: string, page: PageRequest, filter: MemberFilter = {}): Promise<Page<SeenMember>> {
    return mapDatabaseErrors(async () => {
      const em = this.#dependencies.database.em();
      const where = matching(accountId, filter);
      const { rows, hasMore } = await pageOf(page, (conditions, options) =>
        em.find(Membership, { $and: [where, ...conditions] }, { ...options, populate: ['user'] }),
      );
      return { rows: await this.#seen(rows), hasMore };
    });
  }

  /** The account's members among these ids. */
  byIds(accountId: string, memberIds: readonly string[]): Promise<SeenMember[]> {
    const where = { id: { $in: memberIds.filter(isUuid) }, account: accountId };
    return mapDatabaseErrors(async () =>
      this.#seen(await this.#dependencies.database.em().find(Membership, where, { populate: ['user'] })),
    );
  }

  count(accountId: string, filter: MemberFilter = {}): Promise<number> {
    return mapDatabaseErrors(() => this.#dependencies.database.em().count(Membership, matching(accountId, filter)));
  }

  /** Users by id; deleted users are omitted. */
  users(ids: readonly string[]): Promise<ReadonlyMap<string, User>> {
    return mapDatabaseErrors(async () => {
      if (ids.length === 0) return new Map();
      const rows = await this.#dependencies.database.em().find(User, { id: { $in: [...new Set(ids)] } });
      return new Map(rows.map((user) => [user.id, user]));
    });
  }

  /**
   * @param own the caller's roles
   * @throws SluiceError not_found | forbidden | last_owner
   */
  async changeRole(
    accountId: string,
    own: readonly MembershipRole[],
    memberId: string,
    role: MembershipRole,
  ): Promise<SeenMember> {
    const changed = await this.#change(accountId, memberId, async (em, membership) => {
      requireAssignableRole(own, membership.role);
      requireAssignableRole(own, role);
      if (role !== 'owner') await requireOtherOwner(em, membership);
      membership.role = role;
      await revokeInvitationsOf(em, accountId, membership.user.id, role);
    });
    return this.#seenOne(changed);
  }

  /** @param own the caller's roles @throws SluiceError not_found | forbidden | last_owner */
  async remove(accountId: string, own: readonly MembershipRole[], memberId: string): Promise<void> {
    await this.#change(accountId, memberId, async (em, membership) => {
      requireAssignableRole(own, membership.role);
      await removeMember(em, membership);
    });
  }

  /** @throws SluiceError not_found | last_owner */
  async leave(accountId: string, userId: string): Promise<void> {
    await this.#change(accountId, { user: userId }, async (em, membership) => {
      await removeMember(em, membership);
    });
  }

  /**
   * Makes a member the owner and the current owner an administrator. @throws SluiceError not_found | forbidden |
   * bad_user_input
   */
  async transfer(accountId: string, ownerId: string, memberId: string): Promise<SeenMember> {
    let former: string | null = null;
    const owner = await this.#change(accountId, memberId, async (em, membership) => {
      const own = await em.findOne(Membership, { account: accountId, user: ownerId });
      if (own?.role !== 'owner') throw new SluiceError('forbidden', { detail: 'the caller is no longer an owner' });
      if (own === membership)
        throw new SluiceError('bad_user_input', {
          param: 'memberId',
          values: { reason: 'memberId: you already own this account' },
        });
      membership.role = 'owner';
      own.role = 'admin';
      await revokeInvitationsOf(em, accountId, ownerId, 'admin');
      former = ownerId;
    });
    if (former !== null) this.#notify(accountId, former);
    return this.#seenOne(owner);
  }

  async #change(
    accountId: string,
    which: string | { readonly user: string },
    change: (em: EntityManager, membership: Membership) => Promise<void>,
  ): Promise<Membership> {
    const where = typeof which === 'string' ? { id: which } : which;
    if ('id' in where && !isUuid(where.id)) throw notFound();
    const found = await mapDatabaseErrors(() =>
      this.#dependencies.database.em().findOne(Membership, { ...where, account: accountId }),
    );
    if (found === null) throw notFound();
    try {
      return await mapDatabaseErrors(() =>
        this.#dependencies.database.em().transactional(async (em) => {
          await lockAccount(em, accountId);
          const membership = await em.findOne(Membership, { id: found.id }, { populate: ['user'] });
          if (membership === null) throw notFound();
          await change(em, membership);
          await em.flush();
          return membership;
        }),
      );
    } finally {
      // Also after an error: the change may have been committed.
      this.#notify(accountId, found.user.id);
    }
  }

  #notify(accountId: string, userId: string): void {
    this.#dependencies.roles.forget(accountId, userId);
    this.#dependencies.sessions.membershipChanged(userId, accountId);
  }

  async #seenOne(membership: Membership): Promise<SeenMember> {
    const [seen] = await mapDatabaseErrors(() => this.#seen([membership]));
    return seen ?? { membership, lastSeenAt: null };
  }

  async #seen(rows: readonly Membership[]): Promise<SeenMember[]> {
    const users = rows.map(({ user }) => user.id);
    const seen = await this.#dependencies.database.query<{ user_id: string; at: string }>(
      `select user_id, (extract(epoch from max(last_seen_at)) * 1000)::bigint as at from sessions
       where user_id = any($1::uuid[]) group by user_id`,
      [users],
    );
    const at = new Map(seen.map((row) => [row.user_id, new Date(Number(row.at))]));
    return rows.map((membership) => ({ membership, lastSeenAt: at.get(membership.user.id) ?? null }));
  }
}

async function removeMember(em: EntityManager, membership: Membership): Promise<void> {
  await requireOtherOwner(em, membership);
  em.remove(membership);
  // Nobody else sees them.
  const views = await em.find(SavedView, { account: membership.account, owner: membership.user, isShared: false });
  for (const view of views) em.remove(view);
  await revokeInvitationsOf(em, membership.account.id, membership.user.id, null);
}

function notFound(): SluiceError {
  return new SluiceError('not_found', { values: { what: 'member' } });
}

function matching(accountId: string, { nameContains, userIds }: MemberFilter): FilterQuery<Membership> {
  const conditions: FilterQuery<User>[] = [];
  if (userIds !== undefined) conditions.push({ id: { $in: userIds.filter(isUuid) } });
  if (nameContains) {
    // No name contains a NUL, and PostgreSQL does not accept one in a parameter.
    const part = nameContains.replaceAll('\0', '\u{fffd}').replaceAll(/[\\%_]/g, '\\$&');
    conditions.push({ $or: [{ name: { $ilike: `%${part}%` } }, { email: { $ilike: `%${part}%` } }] });
  }
  return conditions.length === 0 ? { account: accountId } : { account: accountId, user: { $and: conditions } };
}
