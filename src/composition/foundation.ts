import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { systemClock } from '../calendar/clock.ts';
import type { Environment } from '../config/environment.ts';
import { openDatabase, type Database, type OpenDatabaseOptions } from '../database/database.ts';
import { ReadReplica, type ReadDatabase } from '../database/read-database.ts';
import type { FolderLock } from '../database/embedded/folder-lock.ts';
import type { MasterKeys } from '../secrets/master-keys.ts';
import { watchActivation } from '../services/master-keys/watch-activation.ts';
import type { SupervisorLink } from '../workers/supervisor-link.ts';
import { openDataFolder } from './data-folder.ts';
import { establishMasterKeys, loadSecrets } from './master-keys.ts';
import { checkBucket, wireStorage, type WiredStorage } from './storage.ts';
import { workerPolls } from './worker-polls.ts';
import { adoptFolders, openWorkerFolder } from './worker-folders.ts';

export interface Foundation {
  /** Absolute. Of all workers. */
  readonly dataDir: string;
  /** Absolute. Of this process alone, such as its usage journal. It is the data folder where there are no workers. */
  readonly processDir: string;
  readonly lock: FolderLock;
  readonly masterKeys: MasterKeys;
  /** Peppers of master keys that are not known any more, by version. */
  readonly retiredPeppers: ReadonlyMap<number, Buffer>;
  /** Migrated. */
  readonly database: Database;
  /** For logs and reports, never for what decides about a request: a replica that is a moment behind may serve them. */
  readonly reads: ReadDatabase;
  /** Null without a replica. */
  readonly replica: Database | null;
  readonly storage: WiredStorage;
  /** Null where this process is no worker. */
  readonly supervisor: SupervisorLink | null;
}

/** What a process needs to end after its requests have ended. */
const CLOSE_MS = 30_000;

/** Opens the folder of this process for it alone, and the database. */
export async function openFoundation(
  environment: Environment,
  supervisor: SupervisorLink | null,
  log: Logger,
): Promise<Foundation> {
  const dataDir = resolve(environment.SLUICE_DATA_DIR);
  const waitMs = environment.SLUICE_SHUTDOWN_DELAY_MS + environment.SLUICE_DRAIN_TIMEOUT_MS + CLOSE_MS;
  const { path: processDir, lock } =
    supervisor === null
      ? await openDataFolder(environment, log)
      : await openWorkerFolder(dataDir, supervisor.slot, waitMs);
  await adoptFolders(dataDir, supervisor, waitMs, log);
  const secrets = await loadSecrets(environment, (text) => log.warn(text));
  const connections = Math.floor(environment.DATABASE_POOL_SIZE / (supervisor?.count ?? 1));
  const database = await openDatabase({
    url: environment.DATABASE_URL,
    pooler: environment.DATABASE_POOLER,
    dataDir,
    log,
    connections,
    ...(supervisor && { polls: workerPolls(supervisor.channel, supervisor.handlers) }),
  });
  await database.migrate();
  const storage = wireStorage(database, dataDir, environment);
  const opened = await establishMasterKeys(database, secrets, storage.blobs);
  watchActivation(database.changes, opened, log);
  const replica = await openReplica(environment, { dataDir, log, connections });
  const reads =
    replica === null
      ? database
      : new ReadReplica({ primary: database, replica, monotonic: () => systemClock.monotonic(), log });
  checkBucket(storage.bucket, log);
  const { keys: masterKeys, retiredPeppers } = opened;
  return { dataDir, processDir, lock, masterKeys, retiredPeppers, database, reads, replica, storage, supervisor };
}

/** It is connected to on first use: an unreachable replica delays no start. */
async function openReplica(
  { DATABASE_READ_URL: url, DATABASE_POOLER: pooler }: Environment,
  options: Pick<OpenDatabaseOptions, 'dataDir' | 'log' | 'connections'>,
): Promise<Database | null> {
  return url === undefined ? null : openDatabase({ ...options, url, pooler });
}
