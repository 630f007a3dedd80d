import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ArchiveFiles, Content, FileRange, WrittenFile } from './blob-files.ts';
import { MeasuredContent } from './measured-content.ts';
import { nullIfMissing } from './null-if-missing.ts';
import { isArchiveKey } from './object-key.ts';

/** Files of the usage archive in a local folder. A file is written beside its place, and moved there when it is complete. */
export class ArchiveFolder implements ArchiveFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async write(key: string, content: Content, limit: number): Promise<WrittenFile> {
    const path = this.#path(key);
    // The same name again after an interruption: a draft does not remain. Readers ignore names that begin with a dot.
    const draft = join(dirname(path), `.${path.slice(dirname(path).length + 1)}.incoming`);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const discard = (): Promise<void> => rm(draft, { force: true }).catch(() => undefined);
    const measured = new MeasuredContent(content, limit);
    const file = await open(draft, 'w', 0o600);
    try {
      await pipeline(measured.read(), file.createWriteStream({ flush: true }));
    } catch (error) {
      await discard();
      throw error;
    }
    return { size: measured.size, sha256: measured.sha256(), commit: () => accept(draft, path), discard };
  }

  async open(key: string, { first, last }: FileRange): Promise<Readable | null> {
    const file = await open(this.#path(key)).catch(nullIfMissing);
    return file && file.createReadStream({ start: first, end: last });
  }

  async sizeOf(key: string): Promise<number | null> {
    const found = await stat(this.#path(key)).catch(nullIfMissing);
    return found && found.size;
  }

  async remove(key: string): Promise<void> {
    await rm(this.#path(key), { force: true });
  }

  #path(key: string): string {
    if (!isArchiveKey(key)) throw new Error('The name is not one of the usage archive.');
    return join(this.#folder, ...key.split('/'));
  }
}

/** With its folder's entry on disk: the database refers to it next. */
async function accept(draft: string, path: string): Promise<void> {
  await rename(draft, path);
  // Windows opens no folders.
  if (process.platform === 'win32') return;
  const folder = await open(dirname(path));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
