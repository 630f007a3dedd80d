import express from 'express';
import * as fc from 'fast-check';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createExpressServer } from '../../../src/rest/http/express-server.ts';
import { RawHttp } from '../../harness/raw-http.ts';
import { writeOwnHead } from '../../../src/rest/headers/response-headers.ts';

let server: Server;
let url: string;
/** The next response: headers and body. */
let headers: string[] = [];
let body: string | Buffer = '';
let isStream = false;
let before: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  server = createExpressServer(express(), (request, response) => {
    for (const [name, value] of Object.entries(before)) response.setHeader(name, value);
    if (request.url === '/own') writeOwnHead(response, linesOf(headers), isStream);
    else response.writeHead(200, [...headers]);
    if (isStream && body.length > 1) {
      const half = body.length >> 1;
      response.write(body.slice(0, half));
      response.end(body.slice(half));
    } else if (typeof body === 'string') response.end(body, 'latin1');
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

function linesOf(pairs: readonly string[]): string {
  let lines = '';
  for (let at = 0; at < pairs.length; at += 2) lines += `${pairs[at]}: ${pairs[at + 1]}\r\n`;
  return lines;
}

/** The exact responses of one moment: to a request, and to the next one on the same connection, which closes it. */
async function bothOf(more = '', version = '1.1'): Promise<[own: string, nodes: string]> {
  const answers = async (path: string): Promise<string> => {
    const client = await RawHttp.open(url);
    client.send(get(path, more, version) + get(path, 'connection: close\r\n', '1.1'));
    return client.rest();
  };
  for (;;) {
    const both: [string, string] = [await answers('/own'), await answers('/node')];
    const dates = new Set(both.join('').match(/^Date: .*$/gm));
    if (dates.size === 1) return both;
  }
}

const get = (path: string, more: string, version: string): string =>
  `GET ${path} HTTP/${version}\r\nhost: test\r\n${more}\r\n`;

it('is identical to Node’s output for any headers and body', async () => {
  const name = fc.stringMatching(/^x-[a-z0-9-]{1,20}$/);
  const value = fc.stringMatching(/^[!-~]([ -~]{0,60}[!-~])?$/);
  const sizes = fc.integer({ min: 0, max: 40_000 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(name, value), { maxLength: 20 }),
      sizes,
      fc.boolean(),
      fc.boolean(),
      async (pairs, size, text, stream) => {
        body = text ? 'x'.repeat(size) : Buffer.alloc(size, 'x');
        isStream = stream;
        headers = [...pairs.flat(), ...(stream ? [] : ['content-length', String(size)])];
        const [own, nodes] = await bothOf();
        expect(own).toBe(nodes);
        expect(own.split('HTTP/1.1 200 OK\r\n')).toHaveLength(3);
      },
    ),
    { numRuns: 100 },
  );
});

describe.each([
  ['a stream', true],
  ['a whole answer', false],
])('of %s', (_kind, stream) => {
  it.each([
    ['a caller who wants the connection closed', 'connection: close\r\n', '1.1', {}],
    ['a caller of HTTP/1.0', '', '1.0', {}],
    ['a caller of HTTP/1.0 who stays', 'connection: keep-alive\r\n', '1.0', {}],
    ['headers that were set before', '', '1.1', { 'x-before': 'one' }],
  ])('leaves %s to Node', async (_name, more, version, set) => {
    before = set;
    body = 'done';
    isStream = stream;
    headers = ['content-type', 'text/plain', ...(stream ? [] : ['content-length', '4'])];
    const [own, nodes] = await bothOf(more, version);
    before = {};
    expect(own).toBe(nodes);
    expect(own).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });
});
