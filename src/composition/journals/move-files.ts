import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';

/** As a folder of files names its own: by the first characters of their IDs, or those that are being written. */
const FOLDER = /^(?:[0-9a-f]{2}|incoming)$/;

/**
 * Moves stored files of an instance that ended for good to those of another one, by one rename each. Their names are unique. It can be
 * repeated.
 * @returns how many were moved
 * @throws where they are on another file system: the others remain
 */
export async function moveFiles(from: string, into: string): Promise<number> {
  if (!existsSync(from)) return 0;
  let moved = 0;
  for (const folder of (await readdir(from)).filter((name) => FOLDER.test(name))) {
    await mkdir(join(into, folder), { recursive: true, mode: 0o700 });
    for (const name of await readdir(join(from, folder))) {
      await rename(join(from, folder, name), join(into, folder, name));
      moved++;
    }
  }
  return moved;
}
