import { once } from 'node:events';
import { WebSocket, type RawData } from 'ws';
import { z } from 'zod';

const eventSchema = z.looseObject({ type: z.string() });
export type SocketEvent = z.infer<typeof eventSchema>;

/** A client of `/v1/responses` over WebSocket. */
export interface ResponseSocket {
  readonly socket: WebSocket;
  send(event: Record<string, unknown>): void;
  /** The next message that was not read yet, as its bytes came. */
  nextText(): Promise<string>;
  next(): Promise<SocketEvent>;
  /** The events up to the end of a response, or to an error. */
  turn(event?: Record<string, unknown>): Promise<SocketEvent[]>;
  /** The code of the close frame. */
  readonly closed: Promise<number>;
  close(): Promise<void>;
}

const LAST = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error']);

/** @throws Error with the status where the upgrade is refused */
export async function openResponseSocket(
  url: string,
  apiKey: string,
  { path = '/v1/responses', headers = {} }: { path?: string; headers?: Readonly<Record<string, string>> } = {},
): Promise<ResponseSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, {
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
  });
  const received: string[] = [];
  const waiting: ((text: string) => void)[] = [];
  socket.on('message', (data: RawData) => {
    const text = String(data);
    const reader = waiting.shift();
    if (reader === undefined) received.push(text);
    else reader(text);
  });
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await once(socket, 'open');
  socket.on('error', () => undefined);
  const nextText = (): Promise<string> => {
    const text = received.shift();
    return text === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(text);
  };
  const next = async (): Promise<SocketEvent> => eventSchema.parse(JSON.parse(await nextText()));
  const send = (event: Record<string, unknown>): void => socket.send(JSON.stringify(event));
  return {
    socket,
    send,
    nextText,
    next,
    async turn(event) {
      if (event !== undefined) send({ type: 'response.create', ...event });
      const events: SocketEvent[] = [];
      for (;;) {
        const one = await next();
        events.push(one);
        if (LAST.has(one.type)) return events;
      }
    },
    closed,
    async close() {
      socket.close();
      await closed;
    },
  };
}

/** The id and output of the response that ends these events. */
export function responseOf(events: readonly SocketEvent[]): { id: string; output: Record<string, unknown>[] } {
  const { response } = z
    .object({ response: z.object({ id: z.string(), output: z.array(z.record(z.string(), z.unknown())) }) })
    .parse(events.at(-1));
  return response;
}
