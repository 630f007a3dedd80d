import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Environment } from '../config/environment.ts';
import { restrictDataFolder } from '../config/data-folder-access.ts';
import { makeFolder } from '../database/data-folder.ts';
import { lockFolder, type FolderLock } from '../database/embedded/folder-lock.ts';

/** The folder of a process, which no other has open. */
export interface OpenFolder {
  /** Absolute. */
  readonly path: string;
  readonly lock: FolderLock;
}

/** Opens the data folder for this process, and its workers, alone. @throws FolderInUseError */
export async function openDataFolder(
  { SLUICE_DATA_DIR }: Pick<Environment, 'SLUICE_DATA_DIR'>,
  log: Pick<Logger, 'warn'>,
): Promise<OpenFolder> {
  const path = resolve(SLUICE_DATA_DIR);
  await makeFolder(path);
  await restrictDataFolder(path, (text) => log.warn(text));
  return { path, lock: await lockFolder(join(path, 'lock')) };
}
