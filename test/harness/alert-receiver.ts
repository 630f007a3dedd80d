import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { Arrivals } from './arrivals.ts';

export interface ReceivedAlert {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

export interface AlertReceiver {
  /** `host:port` */
  readonly host: string;
  readonly received: Arrivals<ReceivedAlert>;
  /** The statuses of the next responses; 202 after them. */
  readonly statuses: number[];
  at(path: string): ReceivedAlert[];
  close(): Promise<void>;
}

/** Accepts what channels of alerts send, each kind on a path of its own. */
export async function startAlertReceiver(): Promise<AlertReceiver> {
  const received = new Arrivals<ReceivedAlert>();
  const statuses: number[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      // Answered first, so that a test that waits for the arrival sees a server that has answered.
      response.writeHead(statuses.shift() ?? 202).end('what the receiver says');
      received.push({ path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const host = `127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`;
  return {
    host,
    received,
    statuses,
    at: (path) => received.filter((each) => each.path === path),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
