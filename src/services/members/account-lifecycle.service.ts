import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { isTimeZone } from '../../calendar/period.ts';
import type { Database } from '../../database/database.ts';
import { AccountDeletion, Membership, User, type Account } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { Mail } from '../../mail/mail.ts';
import { shownName } from '../../mail/shown-name.ts';
import { buildAccount, parseName } from '../accounts/build-account.ts';
import type { SignUpPolicy } from '../accounts/sign-up-policy.ts';
import { accountDeleted } from '../authorization/authorization.ts';
import { isSpendingRestricted } from '../accounts/spending-approvals.ts';
import type { SessionsService } from '../sessions/sessions.service.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { MemoryKeyDirectory } from '../keys/key-directory.ts';
import { lockAccount } from '../accounts/account-lock.ts';

/** How long a deleted account can be restored. */
const GRACE_DAYS = 30;
const DAY_MS = 86_400_000;
const MAX_OWNED = 20;

export interface AccountLifecycleDependencies {
  readonly database: Database;
  readonly sessions: Pick<SessionsService, 'membershipChanged'>;
  readonly keys: Pick<MemoryKeyDirectory, 'evictAccount' | 'revoked' | 'restored'>;
  readonly mailer: { send(mail: Mail): Promise<void> };
  readonly signUp: SignUpPolicy;
  /** The plan of new accounts. */
  readonly defaultPlan: () => string;
  readonly clock?: Clock;
}

export interface NewAccount {
  readonly name: string;
  /** IANA name; UTC where absent. */
  readonly timeZone?: string | null | undefined;
}

/** Creates, deletes and restores accounts. Every method also throws SluiceError database_unavailable. */
export class AccountLifecycleService {
  readonly #dependencies: AccountLifecycleDependencies;
  readonly #clock: Clock;

  constructor(dependencies: AccountLifecycleDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
  }

  /**
   * Creates another account for a user. Where sign-up is not open, only users who already own an account may.
   * @throws SluiceError bad_user_input | sign_up_closed | too_many_accounts
   */
  async create(userId: string, input: NewAccount): Promise<Account> {
    const name = parseName(input.name);
    const timeZone = input.timeZone ?? 'UTC';
    if (!isTimeZone(timeZone)) throw badInput('timeZone', 'it must be an IANA name, such as Europe/Berlin');
    const { database, signUp, defaultPlan, sessions } = this.#dependencies;
    const account = await mapDatabaseErrors(() =>
      database.em().transactional(async (em) => {
        // Locked, so that concurrent calls count each other's accounts.
        const user = await em.findOneOrFail(User, { id: userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
        const owned = await em.count(Membership, { user, role: 'owner', account: { erasedAt: null } });
        if (signUp !== 'open' && owned === 0) throw new SluiceError('sign_up_closed');
        if (owned >= MAX_OWNED) throw new SluiceError('too_many_accounts', { values: { limit: MAX_OWNED } });
        const spendingRestricted = await isSpendingRestricted(em, userId, user.emailVerifiedAt !== null);
        return buildAccount(em, user, { name, plan: defaultPlan(), timeZone, spendingRestricted });
      }),
    );
    sessions.membershipChanged(userId, account.id);
    return account;
  }

  /**
   * Marks the account as deleted: its keys are rejected immediately and their running requests are cancelled. It is erased after
   * the grace period; until then no fee is charged, and its owners can read, download and restore it. A second call has no effect.
   * @param confirmName must equal the account's name, to prevent deleting the wrong one
   * @throws SluiceError bad_user_input | not_found
   */
  async delete(accountId: string, confirmName: string): Promise<Account> {
    const account = await this.#change(accountId, (found, em) => {
      if (confirmName.trim() !== found.name) throw badInput('confirmName', 'it must be the name of the account');
      if (found.erasedAfter !== null) return;
      const deletedAt = new Date(this.#clock.now());
      found.erasedAfter = new Date(deletedAt.getTime() + GRACE_DAYS * DAY_MS);
      em.persist(em.create(AccountDeletion, { account: found, deletedAt }));
    });
    await this.closed(accountId);
    await this.#notifyOwners(account);
    return account;
  }

  /** Restores a deleted account. @throws SluiceError not_found | account_deleted after the grace period */
  async restore(accountId: string): Promise<Account> {
    const account = await this.#change(accountId, async (found, em) => {
      const now = new Date(this.#clock.now());
      if (found.erasedAfter !== null && found.erasedAfter <= now) throw accountDeleted(found.erasedAfter);
      found.erasedAfter = null;
      await em.nativeUpdate(AccountDeletion, { account: found, restoredAt: null }, { restoredAt: now });
    });
    await this.reopened(accountId);
    return account;
  }

  /** Cancels the running requests of the account's keys in this process. */
  async closed(accountId: string): Promise<void> {
    const { keys } = this.#dependencies;
    keys.evictAccount(accountId);
    for (const id of await this.#keysOf(accountId)) keys.revoked(id);
  }

  /** Accepts the account's keys again in this process. */
  async reopened(accountId: string): Promise<void> {
    const { keys } = this.#dependencies;
    keys.evictAccount(accountId);
    for (const id of await this.#keysOf(accountId)) keys.restored(id);
  }

  async #keysOf(accountId: string): Promise<string[]> {
    const sql = 'select id from api_keys where account_id = $1 and revoked_at is null';
    const rows = await mapDatabaseErrors(() => this.#dependencies.database.query<{ id: string }>(sql, [accountId]));
    return rows.map(({ id }) => id);
  }

  async #change(
    accountId: string,
    change: (account: Account, em: EntityManager) => void | Promise<void>,
  ): Promise<Account> {
    const { database, keys, sessions } = this.#dependencies;
    const members: string[] = [];
    try {
      return await mapDatabaseErrors(() =>
        database.em().transactional(async (em) => {
          const account = await lockAccount(em, accountId);
          const memberships = await em.find(Membership, { account }, { fields: ['user'] });
          members.push(...memberships.map(({ user }) => user.id));
          await change(account, em);
          await em.flush();
          return account;
        }),
      );
    } finally {
      // Also after an error: the change may have been committed.
      keys.evictAccount(accountId);
      for (const userId of members) sessions.membershipChanged(userId, accountId);
    }
  }

  async #notifyOwners({ id, name, erasedAfter }: Account): Promise<void> {
    const { database, mailer } = this.#dependencies;
    const owners = await mapDatabaseErrors(() =>
      database.em().find(Membership, { account: id, role: 'owner' }, { populate: ['user'] }),
    );
    const day = erasedAfter?.toISOString().slice(0, 10) ?? '';
    for (const { user } of owners)
      await mailer.send({
        to: user.email,
        subject: `The account ${shownName(name)} was deleted`,
        text: `The Sluice account ${shownName(name)} was deleted. Its API keys no longer work.

Its data is erased after ${day}. Until then you can restore the account or download its data under Settings.
`,
      });
  }
}

function badInput(param: string, reason: string): SluiceError {
  return new SluiceError('bad_user_input', { param, values: { reason: `${param}: ${reason}` } });
}
