import type { WebSocket } from 'ws';

/** Beyond so many unsent bytes a socket gets no more until they are gone; its source tells it then what it missed. */
const MAX_UNSENT_BYTES = 256 * 1024;

export interface Delivery {
  readonly socket: WebSocket;
  /** The operation's, as its client named it. */
  readonly id: string;
  /** Answers in JSON, in order. */
  readonly payloads: AsyncIterable<string>;
  /** Ends `payloads`. */
  readonly leave: () => Promise<void>;
}

/**
 * Writes a subscription's answers to its socket, around the protocol's library: it would write each as JSON once more for each
 * subscriber. What it is given is a stream without items that ends, or fails, when the answers do.
 */
export function deliver({ socket, id, payloads, leave }: Delivery): AsyncGenerator<never, void, void> {
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
      await leave();
      return { done: true, value: undefined };
    },
    throw: async (error: unknown) => {
      await leave();
      throw error;
    },
    [Symbol.asyncIterator]: () => stream,
    [Symbol.asyncDispose]: leave,
  };
  return stream;
}

/** Nothing to wait for while the socket takes what it is given. A socket that fails is closed, and told so elsewhere. */
function send(socket: WebSocket, frame: string): Promise<void> | undefined {
  if (socket.bufferedAmount <= MAX_UNSENT_BYTES) {
    socket.send(frame);
    return undefined;
  }
  return new Promise((resolve) => socket.send(frame, () => resolve()));
}
