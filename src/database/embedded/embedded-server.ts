import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../../calendar/clock.ts';
import type { StorageLog } from '../log.ts';
import { lockFolder, type FolderLock } from './folder-lock.ts';
import type { WorkerCommand, WorkerMessage, WorkerStart } from './worker-messages.ts';

/** `sun_path` holds 108 bytes on Linux and 104 on macOS, a closing NUL included. */
const longestSocketPath = process.platform === 'linux' ? 107 : 103;
/** libpq's name for the socket of port 5432; `pg` builds it from folder and port. */
const socketName = '.s.PGSQL.5432';
const restartDelayMs = 250;
const longestRestartDelayMs = 5_000;

/** The embedded PostgreSQL of one data folder. */
export interface EmbeddedServer {
  /** What `pg` takes as `host`; the port is 5432. */
  readonly socketFolder: string;
  close(): Promise<void>;
}

/**
 * Opens the database of a data folder, creating it when there is none, and keeps it served: should its thread
 * break, another takes over, and clients reconnect.
 * @throws FolderInUseError while another process has it open
 */
export async function startEmbeddedServer(dataDir: string, log?: StorageLog): Promise<EmbeddedServer> {
  const folder = resolve(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(join(folder, 'database.lock'));
  try {
    return await serve(folder, lock, log);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function serve(folder: string, lock: FolderLock, log: StorageLog | undefined): Promise<EmbeddedServer> {
  const sockets = await socketFolderOf(folder);
  const start: WorkerStart = {
    databaseDir: join(folder, 'database'),
    socketPath: join(sockets.path, socketName),
  };
  let closing = false;
  let worker = await startWorker(start);
  watch();

  function watch(): void {
    worker.on('error', (error) => log?.error({ err: error }, 'The embedded database failed'));
    worker.on('message', (message: WorkerMessage) => log?.error({ message }, 'The embedded database failed'));
    worker.once('exit', () => {
      if (!closing) void restart();
    });
  }

  async function restart(): Promise<void> {
    for (let wait = restartDelayMs; !closing; wait = Math.min(wait * 2, longestRestartDelayMs)) {
      await new Promise<void>((resolve) => systemClock.setTimeout(resolve, wait).unref());
      try {
        const next = await startWorker(start);
        worker = next;
        if (closing) await stopWorker(next);
        else watch();
        log?.warn('The embedded database was started again');
        return;
      } catch (error) {
        log?.error({ err: error }, 'The embedded database could not be started again');
      }
    }
  }

  return {
    socketFolder: sockets.path,
    close: async () => {
      if (closing) return;
      closing = true;
      await stopWorker(worker);
      await sockets.remove();
      await lock.release();
    },
  };
}

async function startWorker(start: WorkerStart): Promise<Worker> {
  const worker = new Worker(new URL(`./pglite-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: start,
    name: 'embedded-database',
  });
  const outcome = await new Promise<WorkerMessage>((settle, reject) => {
    worker.once('message', settle);
    worker.once('error', reject);
    worker.once('exit', (code) =>
      settle({ type: 'failed', code: null, message: `its thread ended with code ${code}` }),
    );
  });
  worker.removeAllListeners();
  if (outcome.type === 'ready') return worker;
  throw Object.assign(new Error(`The embedded database did not open: ${outcome.message}`), { code: outcome.code });
}

async function stopWorker(worker: Worker): Promise<void> {
  if (worker.threadId === -1) return;
  const gone = once(worker, 'exit');
  const command: WorkerCommand = { type: 'close' };
  worker.postMessage(command);
  await gone;
}

interface SocketFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** Inside the data folder, which only its owner enters; in a private temporary folder where that path is too long. */
async function socketFolderOf(folder: string): Promise<SocketFolder> {
  const inside = join(folder, 'run');
  if (Buffer.byteLength(join(inside, socketName)) <= longestSocketPath) {
    await mkdir(inside, { recursive: true, mode: 0o700 });
    return { path: inside, remove: async () => undefined };
  }
  const system = Buffer.byteLength(tmpdir()) <= 64 ? tmpdir() : '/tmp';
  const outside = await mkdtemp(join(system, 'sluice-'));
  return { path: outside, remove: () => rm(outside, { recursive: true, force: true }) };
}
