import { on } from 'node:events';
import { readdirSync, watch } from 'node:fs';

/** Waits until the names in a folder are as `holds` says: the system tells of each change. */
export async function whenNamesIn(folder: string, holds: (names: readonly string[]) => boolean): Promise<void> {
  await whenFolderAllows(folder, () => holds(readdirSync(folder)) || null);
}

export const noFileIn = (folder: string): Promise<void> => whenNamesIn(folder, ({ length }) => length === 0);

/** Calls `read` now and after each change of a folder or its files. @returns its first result that is not null */
export async function whenFolderAllows<T>(
  folder: string,
  read: () => T | null,
  options: { readonly signal?: AbortSignal } = {},
): Promise<T> {
  const watcher = watch(folder);
  try {
    // Before the first reading, so that no change falls between the two.
    const changes = on(watcher, 'change', options);
    for (;;) {
      const result = read();
      if (result !== null) return result;
      await changes.next();
    }
  } finally {
    watcher.close();
  }
}
