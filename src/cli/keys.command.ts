import { parseArgs } from 'node:util';
import { loadSecret } from '../config/secret.ts';
import type { Database } from '../database/database.ts';
import { Account } from '../database/entities/index.ts';
import { SluiceError } from '../errors/index.ts';
import { isScope, MemoryKeyDirectory } from '../services/keys/key-directory.ts';
import { KeysService } from '../services/keys/keys.service.ts';
import { KeyPepper } from '../services/keys/pepper.ts';
import { withDatabase } from './with-database.ts';

const usage = `Usage:
  sluice keys create <name> [--scope inference]... [--account <id>]   prints the secret, once
  sluice keys list [--account <id>]
  sluice keys revoke <id> [--account <id>]

Scopes: inference (default), read, manage. Without --account, the oldest account.
With the embedded database, stop the server first: one process has it open.
`;

/** @returns the exit code */
export async function keysCommand(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { help: { type: 'boolean' }, scope: { type: 'string', multiple: true }, account: { type: 'string' } },
  });
  const [action, subject] = positionals;
  if (values.help || action === undefined) {
    process.stdout.write(usage);
    return values.help ? 0 : 2;
  }
  const scopes = (values.scope ?? ['inference']).filter(isScope);
  if (values.scope && scopes.length !== values.scope.length) return refuse('A scope is inference, read or manage.');
  if (action !== 'list' && (subject === undefined || (action !== 'create' && action !== 'revoke')))
    return refuse(usage);
  return withDatabase(async (database, environment, dataDir) => {
    await database.migrate();
    const secret = await loadSecret({
      given: environment.SLUICE_SECRET,
      dataDir,
      warn: (text) => process.stderr.write(`${text}\n`),
    });
    const keys = keysOf(database, secret);
    const accountId = values.account ?? (await oldestAccount(database));
    if (action === 'create' && subject !== undefined) {
      process.stdout.write(`${(await keys.create(accountId, null, { name: subject, scopes })).secret}\n`);
    } else if (action === 'list') {
      const { rows } = await keys.list(accountId, {}, { limit: 1_000 });
      for (const key of rows) process.stdout.write(`${key.id}  ${key.hint}  ${key.name}  [${key.scopes.join(', ')}]\n`);
    } else if (action === 'revoke' && subject !== undefined) {
      await keys.revoke(accountId, subject);
      process.stdout.write('revoked\n');
    } else return refuse(usage);
    return 0;
  });
}

function keysOf(database: Database, masterKey: string): KeysService {
  const pepper = new KeyPepper([{ version: 1, masterKey }]);
  const defaults = { requestsPerMinute: 0, tokensPerMinute: 0, requestsPerDay: 0, concurrency: 0 };
  return new KeysService(database, pepper, new MemoryKeyDirectory({ database, pepper, defaults: () => defaults }));
}

async function oldestAccount(database: Database): Promise<string> {
  const [account] = await database.em().find(Account, {}, { orderBy: { createdAt: 'asc' }, limit: 1 });
  if (account === undefined)
    throw new SluiceError('not_found', { values: { what: 'account' }, detail: 'start the server once' });
  return account.id;
}

function refuse(text: string): number {
  process.stderr.write(`${text}\n`);
  return 2;
}
