import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { WorkerCommand, WorkerMessage, WorkerStart } from './worker-messages.ts';

let loading: Worker | null = null;

/** Loads the engine in a thread that opens nothing yet, while this thread loads other modules. */
export function loadEngine(): void {
  const worker = newWorker();
  loading = worker;
  worker.unref();
  // One that failed is replaced by `openEngine`, which reports a second failure.
  worker.on('error', () => undefined);
  worker.once('exit', () => {
    if (loading === worker) loading = null;
  });
}

/**
 * Opens the database in a thread of its own, creating it if needed. A new database is created by a thread that ends: its
 * memory, three times that of the open database, is not returned to the system before.
 */
export async function openEngine(start: WorkerStart): Promise<Worker> {
  if (!existsSync(join(start.databaseDir, 'PG_VERSION'))) {
    const creating = await command(takeWorker(), { type: 'create', start }, 'created');
    if (creating.threadId !== -1) await once(creating, 'exit');
  }
  return command(takeWorker(), { type: 'open', start }, 'ready');
}

export async function closeEngine(worker: Worker): Promise<void> {
  if (worker.threadId === -1) return;
  const exited = once(worker, 'exit');
  post(worker, { type: 'close' });
  await exited;
}

function takeWorker(): Worker {
  const worker = loading ?? newWorker();
  loading = null;
  worker.ref();
  return worker;
}

function newWorker(): Worker {
  return new Worker(new URL(`./pglite-worker${extname(import.meta.url)}`, import.meta.url), {
    name: 'embedded-database',
  });
}

/** Sends the first command to a worker. @returns the worker, once it has sent `expected` */
async function command(worker: Worker, first: WorkerCommand, expected: 'created' | 'ready'): Promise<Worker> {
  const { promise, resolve: settle, reject } = Promise.withResolvers<WorkerMessage>();
  const ended = (code: number): void =>
    settle({ type: 'failed', code: null, message: `its thread ended with code ${code}` });
  worker.once('message', settle).once('error', reject).once('exit', ended);
  post(worker, first);
  const outcome = await promise;
  // Removed individually: without Node's own listeners, later messages would wait until the thread ends.
  worker.off('message', settle).off('error', reject).off('exit', ended);
  if (outcome.type === expected) return worker;
  const { message, code } = outcome.type === 'failed' ? outcome : { message: 'it is not ready', code: null };
  throw Object.assign(new Error(`The embedded database could not be opened: ${message}`), { code });
}

function post(worker: Worker, message: WorkerCommand): void {
  worker.postMessage(message);
}
