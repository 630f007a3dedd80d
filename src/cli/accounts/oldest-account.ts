import type { Database } from '../../database/database.ts';
import { Account } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { BadArguments } from '../errors/bad-arguments.ts';

const MAX_NAMED = 20;

/** The default account of a command. @throws SluiceError not_found */
export async function oldestAccount(database: Database): Promise<string> {
  const [account] = await database.em().find(Account, {}, { orderBy: { createdAt: 'asc' }, limit: 1 });
  if (account === undefined)
    throw new SluiceError('not_found', { values: { what: 'account' }, detail: 'start the server once' });
  return account.id;
}

/**
 * The default account of a command that moves money.
 * @throws BadArguments with a list of the accounts if there are several; SluiceError not_found if there is none
 */
export async function onlyAccount(database: Database): Promise<string> {
  const options = { orderBy: { createdAt: 'asc' }, limit: MAX_NAMED } as const;
  const accounts = await database.em().find(Account, {}, options);
  if (accounts.length < 2) return oldestAccount(database);
  const names = accounts.map(({ id, name }) => `  ${id}  ${JSON.stringify(name)}\n`);
  throw new BadArguments(`There are several accounts. Specify one with --account <id>:\n${names.join('')}`.trimEnd());
}
