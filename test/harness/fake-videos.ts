import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface AskedOfProvider {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export type VideoScript = (asked: AskedOfProvider, response: ServerResponse) => void;

/** A provider's machine, or a store of its files, on loopback. */
export interface FakeVideos {
  readonly origin: string;
  /** `127.0.0.1:port`. */
  readonly host: string;
  readonly asked: readonly AskedOfProvider[];
  answerWith(script: VideoScript): void;
  close(): Promise<void>;
}

export async function startFakeVideos(script: VideoScript): Promise<FakeVideos> {
  let current = script;
  const asked: AskedOfProvider[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const each = { method, path: url, headers, body: Buffer.concat(chunks) };
      asked.push(each);
      current(each, response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  return {
    origin: `http://${host}`,
    host,
    asked,
    answerWith: (next) => {
      current = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function answerJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** Bytes with ranges, as stores of files serve them. */
export function answerBytes({ headers }: AskedOfProvider, response: ServerResponse, bytes: Buffer): void {
  const [, from = '', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(String(headers.range ?? '')) ?? [];
  const usual = { 'content-type': 'video/mp4', etag: '"one"', 'set-cookie': 'a=b', 'x-amz-id': 'secret' };
  if (from === '') {
    response.writeHead(200, { ...usual, 'content-length': bytes.length });
    response.end(bytes);
    return;
  }
  const last = to === '' ? bytes.length - 1 : Math.min(Number(to), bytes.length - 1);
  const part = bytes.subarray(Number(from), last + 1);
  const range = `bytes ${from}-${last}/${bytes.length}`;
  response.writeHead(206, { ...usual, 'content-length': part.length, 'content-range': range });
  response.end(part);
}
