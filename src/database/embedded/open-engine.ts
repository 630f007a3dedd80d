import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { CompiledEngine } from './compile-engine.ts';
import { DurableFiles, syncFolder } from './durable-files.ts';
import { openWithBaselineParser } from './parser-tiers.ts';

/** Node has four threads for files. */
const CONCURRENT_SYNCS = 4;

const settings: Readonly<Record<string, string>> = {
  fsync: 'on',
  // The engine's `fdatasync` does nothing.
  wal_sync_method: 'fsync',
  // The engine clears all shared memory when it starts, so that its size counts at rest. It has one session, and the system
  // caches the files beneath it.
  shared_buffers: '16MB',
  // A thirty-second of the buffers if absent: transactions of the journal would write it out in parts.
  wal_buffers: '1MB',
};

/** Arguments take precedence over the file in the database's folder: existing folders are opened with them, too. */
const engineArguments: string[] = [
  ...PGlite.defaultStartParams.filter((argument) => argument !== '-F'),
  ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];

/**
 * Opens a database, creating it if needed. A mark beside its folder says that its creation has not ended: no client has
 * connected to it yet, so that it is removed and created anew.
 */
export async function openEngine(databaseDir: string, engine: CompiledEngine): Promise<PGlite> {
  const mark = `${databaseDir}.creating`;
  const parent = dirname(databaseDir);
  mkdirSync(databaseDir, { recursive: true, mode: 0o700 });
  removeIncomplete(databaseDir, mark);
  const isNew = readdirSync(databaseDir).length === 0;
  if (isNew) {
    writeFileSync(mark, identityOf(databaseDir), { mode: 0o600, flush: true });
    syncFolder(parent);
  } else if (statSync(join(databaseDir, 'PG_VERSION'), { throwIfNoEntry: false }) === undefined)
    throw new Error(
      `The folder ${databaseDir} has files, but no database. Restore it from a backup, or remove it: the next start creates a database.`,
    );
  const files = new DurableFiles(databaseDir);
  const options = { fs: files, startParams: engineArguments, pgliteWasmModule: engine };
  const pglite = await openWithBaselineParser(options, isNew);
  if (isNew) {
    await syncTree(databaseDir);
    rmSync(mark);
    // Before any client connects: a mark that reappears would discard what clients stored.
    syncFolder(parent);
  }
  return pglite;
}

/** A folder that was put in the place of the marked one, by a restore or a mount, is kept. @throws where it cannot be read */
function removeIncomplete(databaseDir: string, mark: string): void {
  if (statSync(mark, { throwIfNoEntry: false }) === undefined) return;
  if (readFileSync(mark, 'utf8') === identityOf(databaseDir))
    for (const name of readdirSync(databaseDir)) rmSync(join(databaseDir, name), { recursive: true });
  else rmSync(mark);
}

/** Of the folder, whatever it contains. One that is created after another was removed often has the same number. */
function identityOf(folder: string): string {
  const { ino, birthtimeNs } = statSync(folder, { bigint: true });
  return `${ino} ${birthtimeNs}`;
}

/** Creation does not make its files durable. Several at a time: the file system writes them in one transaction. */
async function syncTree(folder: string): Promise<void> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).values();
  const folders = entries.filter((entry) => entry.isDirectory());
  const syncFiles = async (): Promise<void> => {
    for (const { parentPath, name } of files) {
      const file = await open(join(parentPath, name), 'r+');
      await file.datasync().finally(() => file.close());
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_SYNCS }, syncFiles));
  for (const { parentPath, name } of folders) syncFolder(join(parentPath, name));
  syncFolder(folder);
}
