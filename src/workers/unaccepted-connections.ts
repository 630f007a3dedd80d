/** The process of a worker, as node:cluster sends connections to it. */
export interface ConnectionReceiver {
  send(...given: readonly unknown[]): boolean;
  on(event: 'internalMessage', listener: (message: unknown) => void): unknown;
}

interface Closable {
  close(): void;
}

/**
 * Remembers connections that were sent to a worker, until it accepts them. node:cluster leaves those of a worker that is killed
 * meanwhile open, and nobody would ever answer them.
 * @returns closes them: call it when the worker has ended
 */
export function followConnections(receiver: ConnectionReceiver): () => void {
  const sent = new Map<unknown, Closable>();
  const send = receiver.send.bind(receiver);
  receiver.send = (...given) => {
    const [message, handle] = given;
    if (isObject(message) && message.act === 'newconn' && isClosable(handle)) sent.set(message.seq, handle);
    return send(...given);
  };
  receiver.on('internalMessage', (message) => {
    if (isObject(message) && message.ack !== undefined) sent.delete(message.ack);
  });
  return () => {
    for (const handle of sent.values()) handle.close();
    sent.clear();
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isClosable(value: unknown): value is Closable {
  return isObject(value) && typeof value.close === 'function';
}
