import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../../database/database.ts';
import { Account, Membership } from '../../database/entities/index.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { MemoryKeyDirectory } from '../keys/key-directory.ts';
import { lockAccount } from '../members/account-lock.ts';
import { pageOf, type Page, type PageRequest } from '../members/page.ts';

/** Has other processes read an account's keys anew. */
const changedKeys = 'update api_keys set changed_at = clock_timestamp() where account_id = ?';

const waiting = { spendingRestricted: true, erasedAt: null } as const;

export interface RestrictedAccount {
  readonly account: Account;
  /** Addresses, the longest member first. */
  readonly owners: readonly string[];
}

/**
 * Accounts that signed up and that nobody vouches for yet: nothing is spent for them on the operator's credentials, until an
 * owner's address is verified or the operator approves them. Every method also throws SluiceError database_unavailable.
 */
export class SpendingApprovals {
  readonly #database: Database;
  readonly #keys: Pick<MemoryKeyDirectory, 'evictAccount'>;

  constructor(database: Database, keys: Pick<MemoryKeyDirectory, 'evictAccount'>) {
    this.#database = database;
    this.#keys = keys;
  }

  /** In the order in which they were made. */
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

  /** A second call changes nothing. @throws SluiceError not_found */
  async approve(accountId: string): Promise<void> {
    await mapDatabaseErrors(() =>
      this.#database.em().transactional(async (em) => lift(em, await lockAccount(em, accountId))),
    );
    this.#keys.evictAccount(accountId);
  }

  /**
   * For the unit of work that verifies a user's address, before the user is locked: accounts are locked first everywhere.
   * @returns has it heeded, once the unit of work is stored
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

/** Whether an account that a user makes waits for somebody to vouch for it: somebody did for who owns another already. */
export async function isSpendingRestricted(em: EntityManager, userId: string, isVerified: boolean): Promise<boolean> {
  if (isVerified) return false;
  const vouchedFor = { user: userId, role: 'owner', account: { spendingRestricted: false, erasedAt: null } } as const;
  return (await em.count(Membership, vouchedFor)) === 0;
}

async function lift(em: EntityManager, account: Account): Promise<void> {
  if (!account.spendingRestricted) return;
  account.spendingRestricted = false;
  await em.flush();
  await em.execute(changedKeys, [account.id]);
}
