import { chmod, rm } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import type { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { compileEngine } from './compile-engine.ts';
import { ReadyForQueryFilter } from './message-filter.ts';
import { collectGarbage } from './collect-garbage.ts';
import { openEngine } from './open-engine.ts';
import type { WorkerCommand, WorkerMessage, WorkerStart } from './worker-messages.ts';

/**
 * Runs PostgreSQL in WebAssembly in this thread, so that a slow query does not block the event loop of the process. Its
 * clients share one session and take turns: see `serializeStatements`.
 */
async function run(start: WorkerStart, send: (message: WorkerMessage) => void): Promise<() => Promise<void>> {
  const pglite = await openEngine(start.databaseDir, await engine);
  exitWhenBroken(pglite, send);
  serializeStatements(pglite);
  // Left by a killed process: this process holds the folder's lock.
  await rm(start.socketPath, { force: true });
  // A disconnected client may still be closing while its successor connects.
  const server = new PGLiteSocketServer({ db: pglite, path: start.socketPath, maxConnections: 16 });
  await server.start();
  await chmod(start.socketPath, 0o600);
  // An engine that created a database keeps two copies of its memory, which V8 would not collect for a long time.
  collectGarbage();
  send({ type: 'ready' });
  server.addEventListener('connection', () => send({ type: 'connected' }));
  return async () => {
    await server.stop();
    // A client whose socket closes during shutdown is cleaned up in a later turn and calls this on an engine that is closed by
    // then.
    pglite.isInTransaction = () => false;
    await pglite.close();
    await rm(start.socketPath, { force: true });
  };
}

/**
 * SQL errors are part of the protocol and leave the engine intact. A rejection, or an error of severity FATAL or PANIC (for
 * example a full disk), means that the engine has stopped; it would not respond again and repeat that error forever in one
 * call. The thread exits with it, and its owner starts a new one.
 */
function exitWhenBroken(pglite: PGlite, send: (message: WorkerMessage) => void): void {
  const end = (reason: unknown): void => {
    send(describeFailure(reason));
    process.exit(1);
  };
  const execute = pglite.execProtocolRawStream.bind(pglite);
  pglite.execProtocolRawStream = async (message, options) => {
    try {
      await execute(message, {
        ...options,
        onRawData: (data) => {
          options?.onRawData?.(data);
          if (isFatalError(data)) end(new Error(`The engine stopped: ${printable(data)}`));
        },
      });
    } catch (error) {
      end(error);
    }
  };
}

type RawOptions = Parameters<PGlite['execProtocolRawStream']>[1];

/** Messages of one statement of the extended protocol: Parse, Bind, Describe, Execute, Close, Flush. */
const statementParts: ReadonlySet<number> = new Set(Buffer.from('PBDECH'));

/**
 * The server accepts messages one at a time and stays with a client during a transaction. The session has one unnamed
 * statement: a client must also keep its turn from Parse to Sync, or another client's statement would replace its own.
 */
function serializeStatements(pglite: PGlite): void {
  let isWithin = false;
  const execute = pglite.execProtocolRawStream.bind(pglite);
  const isInTransaction = pglite.isInTransaction.bind(pglite);
  pglite.execProtocolRawStream = (message, options) => {
    isWithin = statementParts.has(message[0] ?? 0);
    return execute(message, isWithin ? withoutReadyForQuery(options) : options);
  };
  pglite.isInTransaction = () => isWithin || isInTransaction();
}

function withoutReadyForQuery(options: RawOptions): RawOptions {
  const filter = new ReadyForQueryFilter();
  return {
    ...options,
    onRawData: (data) => {
      const kept = filter.push(data);
      if (kept.length > 0) options?.onRawData?.(kept);
    },
  };
}

/** Whether this is an ErrorResponse with a fatal severity (field V). Source: PostgreSQL's documentation, "Message Formats". */
function isFatalError(data: Uint8Array): boolean {
  if (data[0] !== 0x45) return false;
  const text = Buffer.from(data.buffer, data.byteOffset, Math.min(data.byteLength, 64)).toString('latin1');
  return text.includes('\0VFATAL\0') || text.includes('\0VPANIC\0');
}

function printable(data: Uint8Array): string {
  return Buffer.from(data)
    .toString('latin1')
    .replace(/[^ -~]+/g, ' ')
    .slice(0, 300);
}

function describeFailure(error: unknown): WorkerMessage {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
  return { type: 'failed', code, message };
}

const port = parentPort;
if (port === null) throw new Error('This file runs in a worker thread only.');
const send = (message: WorkerMessage): void => port.postMessage(message);
const engine = compileEngine();
// A failure is reported where the engine is opened.
engine.catch(() => undefined);
let close = async (): Promise<void> => undefined;

async function execute(command: WorkerCommand): Promise<void> {
  if (command.type === 'open')
    try {
      close = await run(command.start, send);
      return;
    } catch (error) {
      send(describeFailure(error));
    }
  else await close();
  port?.close();
}

port.on('message', (command: WorkerCommand) => void execute(command));
