import type { Clock } from '../calendar/clock.ts';

/** The parts of a Redis client that reconnecting needs. */
interface Connection {
  readonly isReady: boolean;
  emit(event: 'error', error: Error): unknown;
  destroy(): void;
  connect(): Promise<unknown>;
}

/**
 * Limits the time until the response to a command; the client's own limit ends when the command is written. A timeout closes the
 * connection, so that nothing else waits on it, and reconnects.
 * @throws also the command's own error
 */
export async function withResponseTimeout<T>(
  client: Connection,
  timeoutMs: number,
  answer: Promise<T>,
  clock: Clock,
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  let isWaiting = true;
  const onTimeout = (): void => {
    if (!isWaiting) return;
    const error = new Error(`Redis did not respond within ${timeoutMs} ms`);
    // First, since a lost connection rejects the response, too.
    reject(error);
    reconnect(client, error);
  };
  // If this process was blocked, it first reads what arrived meanwhile.
  const timer = clock.setTimeout(() => setImmediate(onTimeout), timeoutMs);
  try {
    return await Promise.race([answer, late]);
  } finally {
    isWaiting = false;
    timer.cancel();
  }
}

function reconnect(client: Connection, error: Error): void {
  // Another command has already reconnected, or the client was closed.
  if (!client.isReady) return;
  client.emit('error', error);
  client.destroy();
  client.connect().catch(() => undefined);
}
