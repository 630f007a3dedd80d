import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { WorkerCommand, WorkerMessage, WorkerStart } from './worker-messages.ts';

let loading: Worker | null = null;

/** Starts the thread of the engine, which compiles it while this thread loads other modules. It opens nothing yet. */
export function loadEngine(): void {
  const worker = newWorker();
  loading = worker;
  worker.unref();
  // One that failed is replaced by `startEngine`, which reports a second failure.
  worker.on('error', () => undefined);
  worker.once('exit', () => {
    if (loading === worker) loading = null;
  });
}

/** Opens the database in a thread of its own, creating it if needed. */
export async function startEngine(start: WorkerStart): Promise<Worker> {
  const worker = loading ?? newWorker();
  loading = null;
  worker.ref();
  const { promise, resolve: settle, reject } = Promise.withResolvers<WorkerMessage>();
  const ended = (code: number): void =>
    settle({ type: 'failed', code: null, message: `its thread ended with code ${code}` });
  worker.once('message', settle).once('error', reject).once('exit', ended);
  post(worker, { type: 'open', start });
  const outcome = await promise;
  // Removed individually: without Node's own listeners, later messages would wait until the thread ends.
  worker.off('message', settle).off('error', reject).off('exit', ended);
  if (outcome.type === 'ready') return worker;
  const { message, code } = outcome.type === 'failed' ? outcome : { message: 'it is not ready', code: null };
  throw Object.assign(new Error(`The embedded database could not be opened: ${message}`), { code });
}

export async function stopEngine(worker: Worker): Promise<void> {
  if (worker.threadId === -1) return;
  const exited = once(worker, 'exit');
  post(worker, { type: 'close' });
  await exited;
}

function newWorker(): Worker {
  return new Worker(new URL(`./pglite-worker${extname(import.meta.url)}`, import.meta.url), {
    name: 'embedded-database',
  });
}

function post(worker: Worker, command: WorkerCommand): void {
  worker.postMessage(command);
}
