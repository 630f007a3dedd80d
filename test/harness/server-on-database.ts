import type { TestDatabases } from './databases.ts';
import { TEST_SECRET } from './product-template.ts';
import { startNewServer, startServer, type ServerProcess } from './server-process.ts';

/**
 * Starts a server on the kind of database that a suite runs on. What differs by default from a server on the
 * embedded database is the same as there.
 * @param databases null for the embedded one, whatever the run is about
 */
export async function startServerOn(
  databases: TestDatabases | null,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const url = databases?.kind === 'server' ? (await databases.place()).url : undefined;
  if (url === undefined) return startServer(env);
  // Its first start: the template of a server on PostgreSQL belongs to runs that have all servers there.
  return startNewServer({
    DATABASE_URL: url,
    SLUICE_SECRET: TEST_SECRET,
    SLUICE_SANDBOX: 'on',
    SLUICE_SIGNUP: 'open',
    ...env,
  });
}
