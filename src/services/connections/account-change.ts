import { ForeignKeyConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../../database/database.ts';
import { AccountRoute, ProviderConnection } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { mapDatabaseErrors } from '../database-availability.ts';

/** Caches of accounts' connections and routes. */
export interface ConnectionCache {
  /** Called when an account's connections or routes changed. Resolves when new requests no longer use the old ones. */
  changed(accountId: string): Promise<void>;
}

export interface AccountChangeDependencies {
  readonly database: Database;
  readonly connectionCache: ConnectionCache;
}

const MARKED = `insert into connected_accounts (account_id, revision, changed_at) values (?, 1, clock_timestamp())
 on conflict (account_id) do update set revision = connected_accounts.revision + 1, changed_at = clock_timestamp()`;

/**
 * Changes an account's connections or routes in one transaction. Changes of one account are serialized, and announced to this
 * process and, through `connected_accounts`, to others.
 * @throws SluiceError not_found if there is no such account | database_unavailable | what `work` throws
 */
export async function changeAccount<T>(
  { database, connectionCache }: AccountChangeDependencies,
  accountId: string,
  work: (em: EntityManager) => Promise<T>,
): Promise<T> {
  try {
    return await mapDatabaseErrors(() =>
      database.em().transactional(async (em) => {
        await em.execute(MARKED, [accountId]);
        return work(em);
      }),
    );
  } catch (error) {
    if (!(error instanceof ForeignKeyConstraintViolationException)) throw error;
    throw new SluiceError('not_found', { values: { what: 'account' } });
  } finally {
    // Also after an error: the change may have been committed.
    await connectionCache.changed(accountId);
  }
}

/**
 * Removes all connections and routes of an account, in the caller's unit of work.
 * @returns updates this process, to be called after commit
 */
export async function removeAll(
  em: EntityManager,
  connectionCache: ConnectionCache,
  accountId: string,
): Promise<() => Promise<void>> {
  const account = { account: accountId };
  const rows = [...(await em.find(ProviderConnection, account)), ...(await em.find(AccountRoute, account))];
  if (rows.length === 0) return async () => undefined;
  await em.execute(MARKED, [accountId]);
  for (const row of rows) em.remove(row);
  await em.flush();
  return () => connectionCache.changed(accountId);
}
