import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { loadEnvironment } from '../config/configuration.ts';
import { restrictDataFolder } from '../config/data-folder-access.ts';
import type { Environment } from '../config/environment.ts';
import { runAs } from '../database/audit/audit-context.ts';
import { makeFolder } from '../database/data-folder.ts';
import { openDatabase, type Database } from '../database/database.ts';

/** Opens the configured database for one command. The embedded database of a running server is opened through its local socket. */
export async function withDatabase<T>(
  work: (database: Database, environment: Environment, dataDir: string) => Promise<T>,
): Promise<T> {
  const environment = loadEnvironment();
  const dataDir = resolve(environment.SLUICE_DATA_DIR);
  await makeFolder(dataDir);
  await restrictDataFolder(dataDir, (text) => process.stderr.write(`${text}\n`));
  const database = await openDatabase({
    url: environment.DATABASE_URL,
    pooler: environment.DATABASE_POOLER,
    dataDir,
    attach: true,
  });
  try {
    const operator = { kind: 'cli', userId: null, apiKeyId: null, label: systemUser() } as const;
    return await runAs(operator, {}, () => work(database, environment, dataDir));
  } finally {
    await database.close();
  }
}

/** The system's name of the user that runs the command. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    // Containers may run as a user without a name.
    return 'command line';
  }
}
