import { chmod, rm } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import type { WorkerCommand, WorkerMessage, WorkerStart } from './worker-messages.ts';

/**
 * PostgreSQL in WebAssembly, alone in this thread: a heavy query does not hold up the process's event loop.
 * Its clients share one session.
 */
async function run(start: WorkerStart, tell: (message: WorkerMessage) => void): Promise<() => Promise<void>> {
  const pglite = await PGlite.create({ dataDir: start.databaseDir });
  endThreadWhenBroken(pglite);
  // Only what a killed process left; the folder's lock is held.
  await rm(start.socketPath, { force: true });
  // A client that was cut off is still being cleared away while its successor connects.
  const server = new PGLiteSocketServer({ db: pglite, path: start.socketPath, maxConnections: 16 });
  await server.start();
  await chmod(start.socketPath, 0o600);
  tell({ type: 'ready' });
  return async () => {
    await server.stop();
    await pglite.close();
    await rm(start.socketPath, { force: true });
  };
}

/**
 * SQL errors travel inside the protocol; a rejection here means that the engine itself is broken, and the socket
 * server would answer nobody again. The thread ends and its owner starts a fresh one.
 */
function endThreadWhenBroken(pglite: PGlite): void {
  const execute = pglite.execProtocolRawStream.bind(pglite);
  pglite.execProtocolRawStream = async (...args) => {
    try {
      await execute(...args);
    } catch (error) {
      setImmediate(() => {
        throw error;
      });
      throw error;
    }
  };
}

function describeFailure(error: unknown): WorkerMessage {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
  return { type: 'failed', code, message };
}

const port = parentPort;
if (port === null) throw new Error('This file runs in a worker thread only.');
const start: WorkerStart = workerData;
run(start, (message) => port.postMessage(message)).then(
  (close) =>
    port.once('message', (command: WorkerCommand) => {
      if (command.type === 'close') void close().then(() => port.close());
    }),
  (error: unknown) => {
    port.postMessage(describeFailure(error));
    port.close();
  },
);
