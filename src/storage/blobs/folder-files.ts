import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BlobFiles, Content, FileRange, ListedFile, WrittenFile } from './blob-files.ts';
import { MeasuredContent } from './measured-content.ts';
import { nullIfMissing } from './null-if-missing.ts';
import { isBlobId } from './object-key.ts';

/** Files in a local folder, named by the IDs of their blobs. A file is written in `incoming`, and moved when it is complete. */
export class FolderFiles implements BlobFiles {
  readonly #folder: string;
  readonly #incoming: string;
  readonly #hasRow: (id: string) => Promise<boolean>;

  /** @param hasRow whether a blob with this ID is in the folder, though its file may not have been moved */
  constructor(folder: string, hasRow: (id: string) => Promise<boolean>) {
    this.#folder = folder;
    this.#incoming = join(folder, 'incoming');
    this.#hasRow = hasRow;
  }

  async write(id: string, content: Content, limit: number): Promise<WrittenFile> {
    const draft = join(this.#incoming, id);
    const path = this.#path(id);
    const discard = (): Promise<void> => rm(draft, { force: true }).catch(() => undefined);
    const measured = new MeasuredContent(content, limit);
    // Opened here: a stream that fails while it opens its file creates the file after it was discarded.
    const file = await this.#openDraft(draft);
    try {
      await pipeline(measured.read(), file.createWriteStream({ flush: true }));
    } catch (error) {
      await discard();
      throw error;
    }
    return { size: measured.size, sha256: measured.sha256(), commit: () => this.#accept(id, path), discard };
  }

  async open(id: string, { first, last }: FileRange): Promise<Readable | null> {
    const file = await open(this.#path(id)).catch(nullIfMissing);
    return file && file.createReadStream({ start: first, end: last });
  }

  async sizeOf(id: string): Promise<number | null> {
    const found = await stat(this.#path(id)).catch(nullIfMissing);
    return found && found.size;
  }

  async remove(id: string): Promise<void> {
    await rm(this.#path(id), { force: true });
  }

  async removeAbandoned(before: Date): Promise<void> {
    const failures: unknown[] = [];
    for (const id of await namesIn(this.#incoming))
      await this.#repair(id, before).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, 'some incoming files could not be removed');
  }

  async *list(): AsyncGenerator<readonly ListedFile[]> {
    for (const folder of await namesIn(this.#folder))
      if (/^[0-9a-f]{2}$/.test(folder))
        yield (await namesIn(join(this.#folder, folder))).filter(isBlobId).map((id) => ({ id, name: id }));
  }

  /** A file with a row only needs to be moved; one without was never completed. */
  async #repair(id: string, before: Date): Promise<void> {
    const touched = await stat(join(this.#incoming, id)).catch(() => null);
    if (touched === null || touched.mtimeMs > before.getTime()) return;
    const isComplete = isBlobId(id) && (await this.#hasRow(id));
    await (isComplete ? this.#accept(id, this.#path(id)) : rm(join(this.#incoming, id), { force: true }));
  }

  async #openDraft(draft: string): Promise<FileHandle> {
    try {
      return await open(draft, 'w', 0o600);
    } catch {
      // Usually the folder exists.
      await mkdir(this.#incoming, { recursive: true, mode: 0o700 });
      return open(draft, 'w', 0o600);
    }
  }

  async #accept(id: string, path: string): Promise<void> {
    const draft = join(this.#incoming, id);
    try {
      await rename(draft, path);
    } catch {
      // Usually the folder exists.
      await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
      await rename(draft, path);
    }
  }

  /** Built from a validated ID; two characters distribute the files over folders. */
  #path(id: string): string {
    if (!isBlobId(id)) throw new Error('The blob id is invalid.');
    return join(this.#folder, id.slice(0, 2), id);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(nullIfMissing)) ?? [];
}
