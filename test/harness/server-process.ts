import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenDatabaseOptions } from '../../src/database/database.ts';
import { createDatabase, dropDatabase } from './create-database.ts';
import { launchFailing, launchServer, type LaunchedServer, type LaunchOptions } from './launch-server.ts';
import { TEST_SECRET, type FirstOwner } from './product-template.ts';
import { startRedis, UNREACHED_TIMEOUT_MS } from './redis.ts';
import { shared, type GetShared } from './shared-resources.ts';

export interface ServerProcess extends LaunchedServer {
  readonly dataDir: string;
  /** Where its database can be opened; the embedded one once it has ended. */
  readonly database: OpenDatabaseOptions;
  /** The next process on the same folder and database, with other settings where given; this one must have ended. */
  restart(settings?: Environment): Promise<ServerProcess>;
  /** Another process beside this one, on the same server PostgreSQL, with a data folder of its own. */
  another(): Promise<ServerProcess>;
  /** Ends it and removes what it kept. */
  dispose(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

/**
 * Starts the built server as a process of its own on a copy of one that was started before: migrated, with its
 * first owner and key. It is on the embedded database; on server PostgreSQL and Redis where
 * `SLUICE_TEST_BACKEND` is `server`.
 */
export function startServer(env: Environment = {}, options: LaunchOptions = {}): Promise<ServerProcess> {
  return startCopy(shared, env, temporaryFolder(), options);
}

/**
 * Starts one in which whoever signs up has what the first owner of an instance has.
 * @param files by name, in its working folder: `sluice.yaml`, and what that names. Without one, the schema can be read
 *   on each backend, as it can on the embedded database by default
 */
export function startServerForAccounts(
  get: GetShared,
  env: Environment = {},
  files: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const dataDir = temporaryFolder();
  // Where the product looks for its configuration by itself.
  const configuration = `default_plan: enterprise\nsignup_spending: allow\n${files['sluice.yaml'] ?? 'graphql: { introspection: true, explorer: true }\n'}`;
  for (const [name, text] of Object.entries({ ...files, 'sluice.yaml': configuration }))
    writeFileSync(join(dataDir, name), text);
  return startCopy(get, env, dataDir);
}

async function startCopy(
  get: GetShared,
  env: Environment,
  dataDir: string,
  options: LaunchOptions = {},
): Promise<ServerProcess> {
  const { owner, backend } = isServerBackend() ? await copyDatabase(get) : await copyFolder(get, dataDir);
  return serverProcess(dataDir, { SLUICE_SECRET: TEST_SECRET, ...backend.env, ...env }, owner, backend, options);
}

/** Starts it where there was none: it migrates, and prints its first owner and key. */
export async function startNewServer(env: Environment = {}, options: LaunchOptions = {}): Promise<ServerProcess> {
  await shared('build');
  return serverProcess(temporaryFolder(), env, null, noBackend, options);
}

/** Starts it for the first time on a data folder of the caller's. */
export async function startServerIn(dataDir: string, env: Environment = {}): Promise<ServerProcess> {
  await shared('build');
  return serverProcess(dataDir, env, null, noBackend);
}

/** Starts it where it is expected not to start. @returns what it printed, and its exit code */
export async function startFailing(env: Environment): ReturnType<typeof launchFailing> {
  await shared('build');
  return launchFailing(env);
}

/** Whether this run has the product on server PostgreSQL and Redis. */
function isServerBackend(): boolean {
  return process.env.SLUICE_TEST_BACKEND === 'server';
}

/** What a server stands on beside its data folder. */
interface Backend {
  readonly env: Environment;
  remove(): Promise<void>;
}

const noBackend: Backend = { env: {}, remove: async () => undefined };

async function copyFolder(get: GetShared, dataDir: string): Promise<{ owner: FirstOwner; backend: Backend }> {
  const template = await get('productFolder');
  cpSync(template.dataDir, dataDir, { recursive: true });
  return { owner: template.owner, backend: noBackend };
}

async function copyDatabase(get: GetShared): Promise<{ owner: FirstOwner; backend: Backend }> {
  const { adminUrl, template, owner } = await get('productDatabase');
  const { name, url } = await createDatabase(adminUrl, template);
  const redis = await startRedis();
  const remove = async (): Promise<void> => {
    await dropDatabase(adminUrl, name);
    await redis.stop();
  };
  // What differs from the embedded database by default is the same as there.
  const env = {
    DATABASE_URL: url,
    REDIS_URL: redis.url,
    SLUICE_REDIS_TIMEOUT_MS: String(UNREACHED_TIMEOUT_MS),
    SLUICE_SANDBOX: 'on',
    SLUICE_SIGNUP: 'open',
  };
  return { owner, backend: { env, remove } };
}

async function serverProcess(
  dataDir: string,
  env: Environment,
  owner: FirstOwner | null,
  backend: Backend,
  options: LaunchOptions = {},
): Promise<ServerProcess> {
  const launched = await launchServer(dataDir, env, owner, options);
  return {
    ...launched,
    dataDir,
    database: { dataDir, url: env.DATABASE_URL },
    restart: (settings) => serverProcess(dataDir, { ...env, ...settings }, launched, backend, options),
    another: () => serverProcess(temporaryFolder(), env, launched, noBackend),
    dispose: async () => {
      // A process that is killed writes no coverage.
      await launched.end(process.env.NODE_V8_COVERAGE ? 'SIGTERM' : 'SIGKILL');
      rmSync(dataDir, { recursive: true, force: true });
      await backend.remove();
    },
  };
}

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'sluice-server-'));
}
