import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Environment } from '../config/environment.ts';
import { restrictDataFolder } from '../config/data-folder-access.ts';
import { loadSecret } from '../config/secret.ts';
import { makeFolder } from '../database/data-folder.ts';
import { openDatabase, type Database } from '../database/database.ts';
import { lockFolder, type FolderLock } from '../database/embedded/folder-lock.ts';
import { checkBucket, wireStorage, type WiredStorage } from './storage.ts';

export interface Foundation {
  /** Absolute. */
  readonly dataDir: string;
  readonly lock: FolderLock;
  readonly masterKey: string;
  /** Migrated. */
  readonly database: Database;
  readonly storage: WiredStorage;
}

/** Opens the data folder for this process alone, and the database. */
export async function openFoundation(environment: Environment, log: Logger): Promise<Foundation> {
  const dataDir = resolve(environment.SLUICE_DATA_DIR);
  await makeFolder(dataDir);
  await restrictDataFolder(dataDir, (text) => log.warn(text));
  const lock = await lockFolder(join(dataDir, 'lock'));
  const masterKey = await loadSecret({ given: environment.SLUICE_SECRET, dataDir, warn: (text) => log.warn(text) });
  const database = await openDatabase({ url: environment.DATABASE_URL, dataDir, log });
  await database.migrate();
  const storage = wireStorage(database, dataDir, environment);
  checkBucket(storage.bucket, log);
  return { dataDir, lock, masterKey, database, storage };
}
