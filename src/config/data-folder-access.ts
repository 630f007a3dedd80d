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
/** Closed where it is read, with a word of what became known if it was open. */
const SECRET = 'secret';
/** Folders of very many files: where the data folder was closed, nobody came as far as these. */
const LARGE = new Set(['database', 'blobs']);

/**
 * Closes the data folder to other users: it holds the master key, the usage journal and what accounts store. Folders become 0700,
 * files 0600, links are left alone. A group's right to write is taken back, since volumes of containers have it at each start.
 * @param warn told of a repair that the operator should know of
 * @throws ConfigurationError where others could write, and so may have replaced anything, or where it cannot be closed
 */
export async function closeDataFolder(dataDir: string, warn: (text: string) => void): Promise<void> {
  // Windows keeps no such modes.
  if (process.platform === 'win32') return;
  const before = (await stat(dataDir)).mode & MODE;
  const wasOpen = (before & NOT_OWNER) !== 0;
  const entries: Entry[] = [];
  for (const entry of await readdir(dataDir, { withFileTypes: true }))
    if (entry.name !== SECRET && (wasOpen || !LARGE.has(entry.name))) await collect(dataDir, entry, entries);
  const folder = { path: dataDir, mode: before, wanted: FOLDER_MODE };
  // All are looked at before one is changed, and the folder itself is closed last: what is refused once is refused again.
  for (const each of wasOpen ? [folder, ...entries] : [folder]) refuseWritable(each);
  for (const each of [...entries, folder]) await close(each);
  if (!wasOpen) return;
  const did = (before & GROUP_OR_OTHERS_WRITE) === 0 ? 'read' : 'read and changed';
  warn(
    `The data folder ${dataDir} could be ${did} by other users of this machine (mode ${octal(before)}). It is now its owner's alone.`,
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
  // What was temporary is gone by now.
  if (mode === null) return;
  if ((mode & NOT_OWNER) !== 0) entries.push({ path, mode, wanted: isFolder ? FOLDER_MODE : FILE_MODE });
  if (!isFolder) return;
  for (const inner of await readdir(path, { withFileTypes: true })) await collect(path, inner, entries);
}

function refuseWritable({ path, mode }: Entry): void {
  if ((mode & OTHERS_WRITE) === 0) return;
  throw new ConfigurationError([
    `${path} can be written by every user of this machine (mode ${octal(mode)}), so what it holds may not be what Sluice wrote. Check it, then run: chmod -R go-rwx ${path}`,
  ]);
}

async function close({ path, mode: before, wanted }: Entry): Promise<void> {
  if ((before & NOT_OWNER) === 0) return;
  try {
    await chmod(path, wanted);
  } catch {
    // Told below, by what is so.
  }
  const mode = await modeOf(path);
  if (mode !== null && (mode & NOT_OWNER) !== 0)
    throw new ConfigurationError([
      `${path} is open to other users of this machine (mode ${octal(mode)}) and could not be closed to them. Give it to the user that runs Sluice, or set SLUICE_DATA_DIR to a folder of that user's.`,
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
