import type { Dirent } from 'node:fs';
import { chmod, lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError } from './environment.ts';

const MODE = 0o777;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const NOT_OWNER = 0o077;
const OTHERS_WRITE = 0o002;
const GROUP_OR_OTHERS_WRITE = 0o022;
/** Restricted where it is read, with a warning if it was readable by others. */
const SECRETS = new Set(['secret', 'secret.previous']);
/** Folders with many files. They are skipped if the data folder was private, because others could not reach them. */
const LARGE = new Set(['database', 'blobs']);

/**
 * Restricts the data folder to its owner: it contains the master key, the usage journal and content of accounts. Folders get mode
 * 0700, files 0600; links are unchanged. Write access of the group is only removed, because container volumes grant it at each start.
 * @param warn called after a repair
 * @throws ConfigurationError if every user could write, so that files may have been replaced, or if the mode cannot be changed
 */
export async function restrictDataFolder(dataDir: string, warn: (text: string) => void): Promise<void> {
  // Windows has no such modes.
  if (process.platform === 'win32') return;
  const before = (await stat(dataDir)).mode & MODE;
  const wasOpen = (before & NOT_OWNER) !== 0;
  const entries: Entry[] = [];
  for (const entry of await readdir(dataDir, { withFileTypes: true }))
    if (!SECRETS.has(entry.name) && (wasOpen || !LARGE.has(entry.name))) await collect(dataDir, entry, entries);
  const folder = { path: dataDir, mode: before, wanted: FOLDER_MODE };
  // Every entry is checked before any is changed, and the folder is restricted last, so that a refused start is refused again.
  for (const each of wasOpen ? [folder, ...entries] : [folder]) refuseWritable(each);
  for (const each of [...entries, folder]) await close(each);
  if (!wasOpen) return;
  const did = (before & GROUP_OR_OTHERS_WRITE) === 0 ? 'read' : 'read and changed';
  warn(
    `The data folder ${dataDir} could be ${did} by other users of this machine (mode ${octal(before)}). It is now restricted to its owner.`,
  );
}

interface Entry {
  readonly path: string;
  readonly mode: number;
  readonly wanted: number;
}

async function collect(folder: string, entry: Dirent, entries: Entry[]): Promise<void> {
  const isFolder = entry.isDirectory();
  if (!isFolder && !entry.isFile()) return;
  const path = join(folder, entry.name);
  const mode = await modeOf(path);
  // Deleted in the meantime.
  if (mode === null) return;
  if ((mode & NOT_OWNER) !== 0) entries.push({ path, mode, wanted: isFolder ? FOLDER_MODE : FILE_MODE });
  if (!isFolder) return;
  for (const inner of await readdir(path, { withFileTypes: true })) await collect(path, inner, entries);
}

function refuseWritable({ path, mode }: Entry): void {
  if ((mode & OTHERS_WRITE) === 0) return;
  throw new ConfigurationError([
    `${path} is writable by every user of this machine (mode ${octal(mode)}), so its content may have been changed. Check it, then run: chmod -R go-rwx ${path}`,
  ]);
}

async function close({ path, mode: before, wanted }: Entry): Promise<void> {
  if ((before & NOT_OWNER) === 0) return;
  try {
    await chmod(path, wanted);
  } catch {
    // Reported below, from the actual mode.
  }
  const mode = await modeOf(path);
  if (mode !== null && (mode & NOT_OWNER) !== 0)
    throw new ConfigurationError([
      `${path} is accessible to other users of this machine (mode ${octal(mode)}), and its mode could not be changed. Change its owner to the user that runs Sluice, or set SLUICE_DATA_DIR to a folder of that user.`,
    ]);
}

async function modeOf(path: string): Promise<number | null> {
  return lstat(path).then(
    ({ mode }) => mode & MODE,
    () => null,
  );
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
