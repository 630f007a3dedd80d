import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { lockFolderWithin, type FolderLock } from '../../database/embedded/folder-lock.ts';
import { journalBytes } from '../../gateway/usage/journal/adopted-journal.ts';
import { LOCK } from '../folder-names.ts';
import { JOURNALS } from '../worker-folders.ts';

const WORKER = /^worker-\d+$/;

/** The folders of an instance with journals: its data folder, and those of its workers. */
export function processFolders(dataDir: string): string[] {
  const workers = readdirSync(dataDir).filter((name) => WORKER.test(name));
  return [dataDir, ...workers.map((name) => join(dataDir, name))].filter((folder) =>
    Object.values(JOURNALS).some((name) => existsSync(join(folder, name))),
  );
}

/** The size of all journals of an instance. */
export function unstoredBytes(dataDir: string): number {
  return processFolders(dataDir)
    .flatMap((folder) => Object.values(JOURNALS).map((name) => journalBytes(join(folder, name))))
    .reduce((sum, bytes) => sum + bytes, 0);
}

/** The folders of an instance, which no other process has open. */
export interface LockedInstance {
  /** Those with journals. */
  readonly folders: readonly string[];
  release(): Promise<void>;
}

/**
 * Locks the folder of an instance and those of its workers, which can survive their supervisor for some time.
 * @param waitMs for the processes that hold them to end
 * @throws FolderInUseError
 */
export async function lockInstance(dataDir: string, waitMs: number): Promise<LockedInstance> {
  const locks: FolderLock[] = [];
  const lock = async (folder: string): Promise<unknown> =>
    locks.push(await lockFolderWithin(join(folder, LOCK), waitMs));
  const release = async (): Promise<void> => {
    for (const each of locks.splice(0)) await each.release();
  };
  try {
    // Before the folders of workers are listed: a supervisor that held it may have created some.
    await lock(dataDir);
    const folders = processFolders(dataDir);
    for (const folder of folders) if (folder !== dataDir) await lock(folder);
    return { folders, release };
  } catch (error) {
    await release();
    throw error;
  }
}
