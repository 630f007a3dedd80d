import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { makeFolder } from '../database/data-folder.ts';
import { lockFolderWithin } from '../database/embedded/folder-lock.ts';
import { adoptClaims } from '../gateway/idempotency/adopt-claims.ts';
import { ANSWERS } from '../gateway/idempotency/sealed-answers.ts';
import { adoptJournal, mergeAdopted } from '../gateway/usage/journal/adopt-journal.ts';
import type { WorkerPlace } from '../workers/worker-place.ts';
import type { OpenFolder } from './data-folder.ts';
import { LOCK } from './folder-names.ts';

/** In the folder of a process. */
export const JOURNALS = { usage: 'journal', droppedContent: 'dropped-content' } as const;
export const IDEMPOTENCY = 'idempotency';

/**
 * Opens the folder of a worker for it alone. A worker that replaces another has its slot, and so its journal.
 * @param waitMs for an earlier worker, which ends its requests by itself where its supervisor was killed
 */
export async function openWorkerFolder(dataDir: string, slot: number, waitMs: number): Promise<OpenFolder> {
  const path = workerFolder(dataDir, slot);
  await makeFolder(path);
  return { path, lock: await lockFolderWithin(join(path, LOCK), waitMs) };
}

/**
 * Moves what processes left that do not run with the present number of workers to a process that does: the only one, or the first
 * worker. Call it when the folder of this process is locked, and before anything in it is opened.
 */
export async function adoptFolders(
  dataDir: string,
  place: WorkerPlace | null,
  waitMs: number,
  log: Pick<Logger, 'info'>,
): Promise<void> {
  const own = place === null ? dataDir : workerFolder(dataDir, place.slot);
  if (place === null || place.slot === 0) {
    for (const left of foldersWithout(dataDir, place)) {
      // The supervisor has locked the data folder.
      const lock = left === dataDir ? null : await lockFolderWithin(join(left, LOCK), waitMs);
      for (const name of Object.values(JOURNALS)) adoptJournal(join(left, name), join(own, name));
      adoptClaims(join(left, IDEMPOTENCY), join(own, IDEMPOTENCY));
      await lock?.release();
      log.info({ folder: left }, 'adopted the journals of a process that does not run any more');
    }
  }
  for (const name of Object.values(JOURNALS)) mergeAdopted(join(own, name));
}

/**
 * Folders with a journal or idempotency keys whose process does not run with this number of workers. An adoption that was killed may
 * have left only the latter.
 */
function foldersWithout(dataDir: string, place: WorkerPlace | null): string[] {
  const count = place?.count ?? 0;
  const slots = readdirSync(dataDir).flatMap((name) => /^worker-(\d+)$/.exec(name)?.[1] ?? []);
  const folders = slots.map(Number).filter((slot) => slot >= count);
  return [...(place === null ? [] : [dataDir]), ...folders.map((slot) => workerFolder(dataDir, slot))].filter(
    (folder) => [...Object.values(JOURNALS), IDEMPOTENCY].some((name) => existsSync(join(folder, name))),
  );
}

/** The responses of idempotency keys of a worker. */
export function workerAnswers(dataDir: string, slot: number): string {
  return join(workerFolder(dataDir, slot), IDEMPOTENCY, ANSWERS);
}

function workerFolder(dataDir: string, slot: number): string {
  return join(dataDir, `worker-${slot}`);
}
