import type { Clock } from '../calendar/clock.ts';

/** A client of Redis, as far as it is connected anew. */
interface Connection {
  readonly isReady: boolean;
  emit(event: 'error', error: Error): unknown;
  destroy(): void;
  connect(): Promise<unknown>;
}

/**
 * Bounds a command; the client's own bound ends when the command is written. One that has no answer in time ends its connection,
 * so that nothing else waits on it, and another is made.
 * @throws also what the command does
 */
export async function answerInTime<T>(
  client: Connection,
  timeoutMs: number,
  answer: Promise<T>,
  clock: Clock,
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  let isWaiting = true;
  const giveUp = (): void => {
    if (!isWaiting) return;
    const error = new Error(`Redis has not answered for ${timeoutMs} ms`);
    connectAnew(client, error);
    reject(error);
  };
  // A process that was held up itself reads first what has come meanwhile.
  const timer = clock.setTimeout(() => setImmediate(giveUp), timeoutMs);
  try {
    return await Promise.race([answer, late]);
  } finally {
    isWaiting = false;
    timer.cancel();
  }
}

function connectAnew(client: Connection, error: Error): void {
  // For another command it was done already, or it was closed.
  if (!client.isReady) return;
  client.emit('error', error);
  client.destroy();
  client.connect().catch(() => undefined);
}
