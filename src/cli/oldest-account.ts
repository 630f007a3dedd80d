import type { Database } from '../database/database.ts';
import { Account } from '../database/entities/index.ts';
import { SluiceError } from '../errors/index.ts';

/** The account that a command means where it is told none. @throws SluiceError not_found */
export async function oldestAccount(database: Database): Promise<string> {
  const [account] = await database.em().find(Account, {}, { orderBy: { createdAt: 'asc' }, limit: 1 });
  if (account === undefined)
    throw new SluiceError('not_found', { values: { what: 'account' }, detail: 'start the server once' });
  return account.id;
}
