import { open, readFile, utimes } from 'node:fs/promises';
import { systemClock, type Timer } from '../../calendar/clock.ts';

/** How often the holder updates its lock file, so that processes in other containers and on other machines see that it is alive. */
const INTERVAL_MS = 2_000;

/** Updates the lock file of this process, and notices when it is no longer its own. */
export class LockHeartbeat {
  readonly lost: Promise<void>;
  readonly #path: string;
  readonly #own: string;
  readonly #timer: Timer;
  readonly #reportLost: () => void;
  #isStopped = false;

  constructor(path: string, own: string) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.lost = promise;
    this.#reportLost = resolve;
    this.#path = path;
    this.#own = own;
    this.#timer = systemClock.setInterval(() => void this.#beat(), INTERVAL_MS).unref();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer.cancel();
  }

  async #beat(): Promise<void> {
    let found: string | null;
    try {
      found = await readText(this.#path);
    } catch {
      // It says nothing about the holder. What is written to the folder fails, too, and reports it.
      return;
    }
    if (this.#isStopped) return;
    if (found === this.#own) return touch(this.#path);
    this.stop();
    this.#reportLost();
  }
}

/** A lock file at one time: while its holder is alive, two readings differ. Null without one. */
export async function readHeartbeat(path: string): Promise<string | null> {
  try {
    // On NFS, opening a file reads its present attributes, which `stat` may take from a cache.
    const file = await open(path, 'r');
    try {
      return `${(await file.stat()).mtimeMs} ${await file.readFile('utf8')}`;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Null without a file. */
export async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  // If the folder is now read-only, the database or the journal reports it.
  await utimes(path, now, now).catch(() => undefined);
}
