import type { WebSocket } from 'ws';

/** Back-pressure: above this, nothing is written until the socket has drained. The source then reports a gap. */
const MAX_UNSENT_BYTES = 256 * 1024;

export interface Delivery {
  readonly socket: WebSocket;
  /** The operation's ID, chosen by the client. */
  readonly id: string;
  /** Results as JSON, in order. */
  readonly payloads: AsyncIterable<string>;
  /** Closes `payloads`. */
  readonly close: () => Promise<void>;
}

/**
 * Writes a subscription's results directly to its socket, because the protocol library would serialize each result again for
 * every subscriber. The library receives an empty stream that ends or fails when the results do.
 */
export function streamToSocket({ socket, id, payloads, close }: Delivery): AsyncGenerator<never, void, void> {
  const head = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
  const pump = async (): Promise<void> => {
    for await (const payload of payloads) {
      if (socket.readyState !== socket.OPEN) return;
      await send(socket, `${head}${payload}}`);
    }
  };
  let ended: Promise<void> | null = null;
  const stream: AsyncGenerator<never, void, void> = {
    next: async () => {
      await (ended ??= pump());
      return { done: true, value: undefined };
    },
    return: async () => {
      await close();
      return { done: true, value: undefined };
    },
    throw: async (error: unknown) => {
      await close();
      throw error;
    },
    [Symbol.asyncIterator]: () => stream,
    [Symbol.asyncDispose]: close,
  };
  return stream;
}

/** Returns a promise only under back-pressure. Socket errors are handled elsewhere. */
function send(socket: WebSocket, frame: string): Promise<void> | undefined {
  if (socket.bufferedAmount <= MAX_UNSENT_BYTES) {
    socket.send(frame);
    return undefined;
  }
  return new Promise((resolve) => socket.send(frame, () => resolve()));
}
