import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Environment } from '../config/environment.ts';
import { restrictDataFolder } from '../config/data-folder-access.ts';
import { makeFolder } from '../database/data-folder.ts';
import { lockFolderWithin, type FolderLock } from '../database/embedded/folder-lock.ts';
import { LOCK } from './folder-names.ts';

/** The folder of a process, which no other has open. */
export interface OpenFolder {
  /** Absolute. */
  readonly path: string;
  readonly lock: FolderLock;
}

/** Another instance may be storing what an earlier process left there. */
const MAX_ADOPTION_MS = 60_000;

/** Opens the data folder for this process, and its workers, alone. @throws FolderInUseError */
export async function openDataFolder(
  { SLUICE_DATA_DIR, SLUICE_INSTANCES_DIR }: Pick<Environment, 'SLUICE_DATA_DIR' | 'SLUICE_INSTANCES_DIR'>,
  log: Pick<Logger, 'warn'>,
): Promise<OpenFolder> {
  const path = resolve(SLUICE_DATA_DIR);
  await makeFolder(path);
  await restrictDataFolder(path, (text) => log.warn(text));
  const waitMs = SLUICE_INSTANCES_DIR === undefined ? 0 : MAX_ADOPTION_MS;
  return { path, lock: await lockFolderWithin(join(path, LOCK), waitMs) };
}
