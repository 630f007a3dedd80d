import { readdirSync, readFileSync } from 'node:fs';
import { createDatabase, dropDatabase } from './create-database.ts';
import type { LaunchOptions } from './launch-server.ts';
import { TEST_SECRET } from './product-template.ts';
import { startRedis, UNREACHED_TIMEOUT_MS } from './redis.ts';
import { startNewServer, type ServerProcess } from './server-process.ts';
import { shared } from './shared-resources.ts';

export interface WorkersServer {
  readonly server: ServerProcess;
  /** Its settings, for a server with another number of workers. */
  readonly env: Readonly<Record<string, string>>;
  /** Of PostgreSQL. */
  readonly databaseUrl: string;
  dispose(): Promise<void>;
}

/** A supervisor with workers, on a PostgreSQL database and a Redis server of their own. */
export async function startWorkers(
  count: number,
  settings: Readonly<Record<string, string>>,
  options: LaunchOptions = {},
): Promise<WorkersServer> {
  const { adminUrl, template } = await shared('migratedDatabase');
  const { name, url } = await createDatabase(adminUrl, template);
  const redis = await startRedis();
  const env = {
    DATABASE_URL: url,
    REDIS_URL: redis.url,
    SLUICE_REDIS_TIMEOUT_MS: String(UNREACHED_TIMEOUT_MS),
    SLUICE_SECRET: TEST_SECRET,
    SLUICE_SANDBOX: 'on',
    WORKERS: String(count),
    ...settings,
  };
  const server = await startNewServer(env, options);
  return {
    server,
    env,
    databaseUrl: url,
    dispose: async () => {
      await server.dispose();
      await redis.stop();
      await dropDatabase(adminUrl, name);
    },
  };
}

/** The processes that a process has started, in the order of their ids. Of Linux. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && parentOf(entry) === pid)
    .map(Number)
    .sort((a, b) => a - b);
}

/** Of a process that has not ended. */
export function isRunning(pid: number): boolean {
  return parentOf(String(pid)) !== null;
}

/** Null for one that has ended. */
function parentOf(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field may contain spaces.
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? null : Number(parent);
  } catch {
    return null;
  }
}
