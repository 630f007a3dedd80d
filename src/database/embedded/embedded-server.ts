import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { systemClock } from '../../calendar/clock.ts';
import type { StorageLog } from '../log.ts';
import { startEngine, stopEngine } from './engine-thread.ts';
import { lockFolder, type FolderLock } from './folder-lock.ts';
import type { WorkerMessage, WorkerStart } from './worker-messages.ts';

/** `sun_path` holds 108 bytes on Linux and 104 on macOS, including the terminating NUL. */
const MAX_SOCKET_PATH_BYTES = process.platform === 'linux' ? 107 : 103;
/** libpq's name for the socket of port 5432; `pg` builds it from folder and port. */
const SOCKET_NAME = '.s.PGSQL.5432';
/** Names the file that contains the path of the socket folder, if the socket is outside the data folder. */
const SOCKET_FOLDER_FILE = 'socket-folder';
const RESTART_DELAY_MS = 250;
const MAX_RESTART_DELAY_MS = 5_000;

/** The embedded PostgreSQL of one data folder. */
export interface EmbeddedServer {
  /** The `host` for `pg`; the port is 5432. */
  readonly socketFolder: string;
  /** Called for each client that connects, including those of other processes. */
  onConnected(listener: () => void): void;
  close(): Promise<void>;
}

/**
 * Opens the database of a data folder, creating it if needed, and serves it. If its thread fails, a new one is started and
 * clients reconnect.
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
    socketPath: join(sockets.path, SOCKET_NAME),
  };
  let closing = false;
  let connected = (): void => undefined;
  let worker = await startEngine(start);
  watch();

  function watch(): void {
    worker.on('error', (error) => log?.error({ err: error }, 'embedded database failed'));
    worker.on('message', (message: WorkerMessage) => {
      if (message.type === 'connected') connected();
      else log?.error({ message }, 'embedded database failed');
    });
    worker.once('exit', () => {
      if (!closing) void restart();
    });
  }

  async function restart(): Promise<void> {
    for (let wait = RESTART_DELAY_MS; !closing; wait = Math.min(wait * 2, MAX_RESTART_DELAY_MS)) {
      await new Promise<void>((resolve) => systemClock.setTimeout(resolve, wait).unref());
      try {
        const next = await startEngine(start);
        worker = next;
        if (closing) await stopEngine(next);
        else watch();
        log?.warn('embedded database restarted');
        return;
      } catch (error) {
        log?.error({ err: error }, 'embedded database could not be restarted');
      }
    }
  }

  return {
    socketFolder: sockets.path,
    onConnected: (listener) => {
      connected = listener;
    },
    close: async () => {
      if (closing) return;
      closing = true;
      await stopEngine(worker);
      await sockets.remove();
      await lock.release();
    },
  };
}

/** The socket folder of another process of this user that serves the data folder's database; null if there is none. */
export async function findEmbeddedServer(dataDir: string): Promise<string | null> {
  const folder = resolve(dataDir);
  const pointer = await readFile(join(folder, SOCKET_FOLDER_FILE), 'utf8').catch(() => null);
  for (const path of [join(folder, 'run'), ...(pointer === null ? [] : [pointer])])
    if (await isServed(join(path, SOCKET_NAME))) return path;
  return null;
}

function isServed(socketPath: string): Promise<boolean> {
  return new Promise((settle) => {
    const socket = createConnection(socketPath);
    socket.once('connect', () => {
      socket.destroy();
      settle(true);
    });
    socket.once('error', () => settle(false));
  });
}

interface SocketFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** Inside the data folder, which only its owner can enter; in a private temporary folder where that path is too long. */
async function socketFolderOf(folder: string): Promise<SocketFolder> {
  const inside = join(folder, 'run');
  if (Buffer.byteLength(join(inside, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES) {
    await mkdir(inside, { recursive: true, mode: 0o700 });
    return { path: inside, remove: async () => undefined };
  }
  const system = Buffer.byteLength(tmpdir()) <= 64 ? tmpdir() : '/tmp';
  const outside = await mkdtemp(join(system, 'sluice-'));
  const pointer = join(folder, SOCKET_FOLDER_FILE);
  await writeFile(pointer, outside, { mode: 0o600 });
  const remove = async (): Promise<void> => {
    for (const path of [pointer, outside]) await rm(path, { recursive: true, force: true });
  };
  return { path: outside, remove };
}
