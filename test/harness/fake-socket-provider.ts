import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Script } from './fake-provider.ts';

/** A message that the fake provider received. */
export interface ReceivedMessage {
  readonly text: string;
  readonly json: Record<string, unknown>;
  readonly socket: ProviderSocket;
}

/** A socket of the provider, with the request that opened it. */
export interface ProviderSocket {
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  readonly socket: WebSocket;
  /** The code of the close frame. */
  readonly closed: Promise<number>;
}

export interface FakeSocketProvider {
  /** With its version path. */
  readonly url: string;
  readonly sockets: readonly ProviderSocket[];
  readonly messages: readonly ReceivedMessage[];
  /** Bodies that were posted. */
  readonly posted: readonly Record<string, unknown>[];
  /** Called for each message. */
  onMessage(script: (message: ReceivedMessage) => void): void;
  /** Answers requests that are no upgrades. */
  onPost(script: Script): void;
  /** Answers upgrades with a status; 0 for none. */
  refuseUpgrades(status: number, body?: string): void;
  whenReceived(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A provider on loopback whose Responses API has WebSockets. */
export async function startFakeSocketProvider(
  tls: { key: string; cert: string } | null = null,
): Promise<FakeSocketProvider> {
  let script: (message: ReceivedMessage) => void = () => undefined;
  let postScript: Script = (_request, response) => void response.writeHead(500).end();
  let refusal: { status: number; body: string } | null = null;
  const [sockets, messages]: [ProviderSocket[], ReceivedMessage[]] = [[], []];
  const posted: Record<string, unknown>[] = [];
  const arrivals = new EventEmitter();
  const server: Server =
    tls === null ? createServer() : createSecureServer({ ...tls, ALPNProtocols: ['h2', 'http/1.1'] });
  server.on('request', (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const json = JSON.parse(bytes.toString() || '{}');
      posted.push(json);
      const { method = '', url: path = '', headers } = incoming;
      const body = bytes.toString();
      void postScript({ method, path, headers, body, bytes, json, aborted: new Promise(() => undefined) }, response);
    });
  });
  const upgrading = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, raw, head) => {
    if (refusal !== null) {
      const { status, body } = refusal;
      raw.end(
        `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
      );
      return;
    }
    upgrading.handleUpgrade(request, raw, head, (socket) => {
      const closed = new Promise<number>((resolve) => socket.once('close', resolve));
      const opened = { headers: request.headers, path: request.url ?? '', socket, closed };
      sockets.push(opened);
      socket.on('error', () => undefined);
      socket.on('message', (data: Buffer) => {
        const text = data.toString();
        const message = { text, json: JSON.parse(text), socket: opened };
        messages.push(message);
        arrivals.emit('message');
        script(message);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `${tls === null ? 'http' : 'https'}://127.0.0.1:${port}/v1`,
    sockets,
    messages,
    posted,
    onMessage: (next) => {
      script = next;
    },
    onPost: (next) => {
      postScript = next;
    },
    refuseUpgrades: (status, body = '') => {
      refusal = status === 0 ? null : { status, body };
    },
    whenReceived: async (count) => {
      while (messages.length < count) await once(arrivals, 'message');
    },
    close: async () => {
      for (const { socket } of sockets) socket.terminate();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
