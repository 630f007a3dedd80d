import { once } from 'node:events';
import type { Server } from 'node:http';
import express from 'express';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createExpressServer } from '../../src/rest/express-server.ts';
import { writeOwnHead } from '../../src/rest/own-head.ts';
import { RawHttp, type RawAnswer } from '../harness/raw-http.ts';

let server: Server;
let url: string;
/** What is answered next: headers, and the body. */
let headers: string[] = [];
let body: string | Buffer = '';
let before: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  server = createExpressServer(express(), (request, response) => {
    for (const [name, value] of Object.entries(before)) response.setHeader(name, value);
    if (request.url === '/own') writeOwnHead(response, [...headers]);
    else response.writeHead(200, [...headers]);
    if (typeof body === 'string') response.end(body, 'latin1');
    else response.end(body);
    return true;
  });
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

/** Both heads, byte by byte, of one moment. */
async function bothOf(ask: (path: string) => Promise<RawAnswer>): Promise<[own: unknown, nodes: unknown]> {
  for (;;) {
    const [own, nodes] = [await ask('/own'), await ask('/node')];
    const told = ({ status, headers: lines, body: text }: RawAnswer): unknown => [status, [...lines], text];
    if (own.headers.get('date') === nodes.headers.get('date')) return [told(own), told(nodes)];
  }
}

const get = (path: string, more = '', version = '1.1'): string =>
  `GET ${path} HTTP/${version}\r\nhost: test\r\n${more}\r\n`;

it('goes out as Node’s does, whatever headers there are and whatever body', async () => {
  const name = fc.stringMatching(/^x-[a-z0-9-]{1,20}$/);
  const value = fc.stringMatching(/^[!-~]([ -~]{0,60}[!-~])?$/);
  const sizes = fc.integer({ min: 0, max: 40_000 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(name, value), { maxLength: 20 }),
      sizes,
      fc.boolean(),
      async (pairs, size, text) => {
        body = text ? 'x'.repeat(size) : Buffer.alloc(size, 'x');
        headers = [...pairs.flat(), 'content-length', String(size)];
        const [own, nodes] = await bothOf(async (path) => {
          const client = await RawHttp.open(url);
          client.send(get(path));
          const answer = await client.answer();
          client.close();
          return answer;
        });
        expect(own).toEqual(nodes);
      },
    ),
    { numRuns: 100 },
  );
});

it.each([
  ['a caller who wants the connection closed', 'connection: close\r\n', '1.1', {}],
  ['a caller of HTTP/1.0', '', '1.0', {}],
  ['headers that were set before', '', '1.1', { 'x-before': 'one' }],
])('leaves %s to Node', async (_name, more, version, set) => {
  before = set;
  body = 'done';
  headers = ['content-type', 'text/plain', 'content-length', '4'];
  const [own, nodes] = await bothOf(async (path) => {
    const client = await RawHttp.open(url);
    client.send(get(path, more, version));
    const answer = await client.answer();
    // What goes on answers again; what does not has ended.
    if (more !== '' || version === '1.0') expect(await client.rest()).toBe('');
    else {
      client.send(get(path));
      expect((await client.answer()).status).toBe(200);
    }
    client.close();
    return answer;
  });
  before = {};
  expect(own).toEqual(nodes);
});
