import { createHash, randomUUID } from 'node:crypto';
import { link, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { delay, systemClock } from '../../calendar/clock.ts';
import { isCode, LockHeartbeat, readHeartbeat, readText } from './lock-heartbeat.ts';
import { liveness, ownIdentity } from './process-identity.ts';

/** A holder whose process cannot be inspected counts as dead after this long without an update. */
const STALE_AFTER_MS = 8_000;
const POLL_INTERVAL_MS = 250;

const contentSchema = z.object({
  token: z.string(),
  pid: z.number().int(),
  startedAt: z.string().nullable(),
  realm: z.string(),
});

/** Another process has the folder open. */
export class FolderInUseError extends Error {
  constructor(path: string, holder: string) {
    super(
      `The data folder is in use: ${holder} holds ${path}. ` +
        'Two processes on one folder would lose data. Stop the other one, or give this one its own SLUICE_DATA_DIR.',
    );
    this.name = 'FolderInUseError';
  }
}

export interface FolderLock {
  /**
   * Resolves if another process takes the lock over, or removes it: this one was paused for so long that it counted as dead, or an
   * operator removed the file. The folder must not be used any more.
   */
  readonly lost: Promise<void>;
  release(): Promise<void>;
}

/**
 * Acquires the lock file at `path`, which one process can hold at a time. A lock whose holder is dead (its pid does not exist,
 * or belongs to a process that started later) is taken over.
 * @throws FolderInUseError
 */
export async function lockFolder(path: string): Promise<FolderLock> {
  const own = JSON.stringify({ token: randomUUID(), ...ownIdentity() });
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, own, { mode: 0o600, flush: true });
  try {
    await acquire(path, draft);
  } finally {
    await rm(draft, { force: true });
  }
  const heartbeat = new LockHeartbeat(path, own);
  return {
    lost: heartbeat.lost,
    release: async () => {
      heartbeat.stop();
      if ((await readText(path)) === own) await rm(path, { force: true });
    },
  };
}

/** As `lockFolder`, but waits for a holder that is about to end. @throws FolderInUseError if it does not end in time */
export async function lockFolderWithin(path: string, waitMs: number): Promise<FolderLock> {
  const deadline = systemClock.monotonic() + waitMs;
  for (;;) {
    try {
      return await lockFolder(path);
    } catch (error) {
      if (!(error instanceof FolderInUseError) || systemClock.monotonic() >= deadline) throw error;
      await delay(systemClock, POLL_INTERVAL_MS);
    }
  }
}

async function acquire(path: string, draft: string): Promise<void> {
  // Each iteration either ends or follows a change by another process.
  for (;;) {
    // A hard link is created atomically, so that no process reads a partial lock.
    if (await tryLink(draft, path)) return;
    const held = await readText(path);
    if (held === null) continue;
    if (await isAlive(path, held)) throw new FolderInUseError(path, describe(held));
    if (await takeOver(path, held, draft)) return;
  }
}

/**
 * Replaces exactly the stale lock `held`. The right to do so is itself a link that is named after the replaced content: two
 * processes that found the same stale lock cannot both win, and a slow one cannot remove its successor.
 */
async function takeOver(path: string, held: string, draft: string): Promise<boolean> {
  const claim = `${path}.claim-${createHash('sha256').update(held).digest('hex').slice(0, 16)}`;
  if (!(await tryLink(draft, claim))) {
    const claimant = await readText(claim);
    if (claimant !== null && !(await isAlive(claim, claimant))) await rm(claim, { force: true });
    else await delay(systemClock, POLL_INTERVAL_MS);
    return false;
  }
  if ((await readText(path)) !== held) {
    await rm(claim, { force: true });
    return false;
  }
  await rename(claim, path);
  return true;
}

async function isAlive(path: string, held: string): Promise<boolean> {
  const content = parse(held);
  if (content === null) return false;
  const state = liveness(content);
  if (state !== 'unknown') return state === 'alive';
  const before = await readHeartbeat(path);
  for (let waited = 0; waited < STALE_AFTER_MS; waited += POLL_INTERVAL_MS) {
    await delay(systemClock, POLL_INTERVAL_MS);
    if ((await readHeartbeat(path)) !== before) return true;
  }
  return false;
}

function parse(held: string): z.infer<typeof contentSchema> | null {
  try {
    return contentSchema.parse(JSON.parse(held));
  } catch {
    return null;
  }
}

function describe(held: string): string {
  const content = parse(held);
  if (content === null) return 'an unknown process';
  return content.pid === process.pid ? 'this very process' : `process ${content.pid}`;
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
}
