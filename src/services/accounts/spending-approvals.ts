import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../../database/database.ts';
import { Account, Membership } from '../../database/entities/index.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { lockAccount } from './account-lock.ts';
import { pageOf, type Page, type PageRequest } from '../page-by-creation.ts';

/** Keys of accounts in this process. */
export interface AccountKeys {
  /** Reads the account's keys again at their next use. */
  evictAccount(accountId: string): void;
}

/** Makes other processes read an account's keys again. */
const changedKeys = 'update api_keys set changed_at = clock_timestamp() where account_id = ?';

const waiting = { spendingRestricted: true, erasedAt: null } as const;

export interface RestrictedAccount {
  readonly account: Account;
  /** E-mail addresses, the oldest membership first. */
  readonly owners: readonly string[];
}

/**
 * Accounts that signed up and are not approved yet: nothing is spent on the operator's credentials for them until an owner's
 * address is verified or the operator approves them. Every method also throws SluiceError database_unavailable.
 */
export class SpendingApprovals {
  readonly #database: Database;
  readonly #keys: AccountKeys;

  constructor(database: Database, keys: AccountKeys) {
    this.#database = database;
    this.#keys = keys;
  }

  /** In the order of creation. */
  list(page: PageRequest): Promise<Page<RestrictedAccount>> {
    return mapDatabaseErrors(async () => {
      const em = this.#database.em();
      const { rows, hasMore } = await pageOf(page, (conditions, options) =>
        em.find(Account, { $and: [waiting, ...conditions] }, options),
      );
      const of = { account: { $in: rows.map(({ id }) => id) }, role: 'owner' } as const;
      const owners = await em.find(Membership, of, { populate: ['user'], orderBy: { createdAt: 'asc' } });
      return {
        hasMore,
        rows: rows.map((account) => ({
          account,
          owners: owners.filter((each) => each.account.id === account.id).map(({ user }) => user.email),
        })),
      };
    });
  }

  count(): Promise<number> {
    return mapDatabaseErrors(() => this.#database.em().count(Account, waiting));
  }

  /** A second call has no effect. @throws SluiceError not_found */
  async approve(accountId: string): Promise<void> {
    await mapDatabaseErrors(() =>
      this.#database.em().transactional(async (em) => lift(em, await lockAccount(em, accountId))),
    );
    this.#keys.evictAccount(accountId);
  }

  /**
   * For the unit of work that verifies a user's address, before the user is locked: accounts are always locked first.
   * @returns applies the change in this process, to be called after commit
   */
  async addressVerified(em: EntityManager, userId: string): Promise<() => void> {
    const owned = await em.find(Membership, { user: userId, role: 'owner', account: waiting });
    const ids = owned.map(({ account }) => account.id).toSorted();
    for (const id of ids) await lift(em, await lockAccount(em, id));
    return () => {
      for (const id of ids) this.#keys.evictAccount(id);
    };
  }
}

/** Whether a user's new account needs an approval: not if they already own an approved one. */
export async function isSpendingRestricted(em: EntityManager, userId: string, isVerified: boolean): Promise<boolean> {
  if (isVerified) return false;
  const approvedAccounts = {
    user: userId,
    role: 'owner',
    account: { spendingRestricted: false, erasedAt: null },
  } as const;
  return (await em.count(Membership, approvedAccounts)) === 0;
}

async function lift(em: EntityManager, account: Account): Promise<void> {
  if (!account.spendingRestricted) return;
  account.spendingRestricted = false;
  await em.flush();
  await em.execute(changedKeys, [account.id]);
}
