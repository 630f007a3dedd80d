import { access, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder that only this user may enter, and its parents. Not by Node's recursive option, which never returns if a
 * parent cannot be created in (`/proc`).
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code === 'EEXIST') return;
    const above = dirname(path);
    if (error.code !== 'ENOENT' || (await exists(above))) throw error;
    await makeFolder(above);
    await mkdir(path, { mode: 0o700 });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
