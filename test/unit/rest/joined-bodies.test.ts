import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, IncomingMessage } from 'node:http';
import { Socket, type AddressInfo } from 'node:net';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readBody } from '../../../src/rest/body/read-body.ts';

/** Reads a body that arrives in these chunks. */
async function read(chunks: readonly Buffer[]): Promise<Buffer> {
  const request = new IncomingMessage(new Socket());
  for (const chunk of chunks) request.push(chunk);
  request.push(null);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  readBody(request, 1_000_000, resolve, reject);
  return promise;
}

/** In memory of its own, as Node passes what arrived. */
function ownMemory(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(text.length);
  bytes.write(text);
  return bytes;
}

describe('a body of several chunks', () => {
  it('leaves no memory of its chunks to the garbage collector', async () => {
    const chunks = [ownMemory('{"model":'), ownMemory('"m",'), ownMemory('"input":"x"}')];
    expect((await read(chunks)).toString()).toBe('{"model":"m","input":"x"}');
    expect(chunks.map(({ buffer }) => (buffer as ArrayBuffer).detached)).toEqual([true, true, true]);
  });

  it('leaves memory alone that its chunks share with others', async () => {
    const shared = ownMemory('{"a":1}, and more');
    expect((await read([shared.subarray(0, 5), shared.subarray(5, 7)])).toString()).toBe('{"a":1}');
    expect(shared.toString()).toBe('{"a":1}, and more');
  });
});

it('is the chunk itself where it arrives in one', async () => {
  const chunk = ownMemory('{"a":1}');
  expect(await read([chunk])).toBe(chunk);
  expect(chunk.toString()).toBe('{"a":1}');
});

describe('bodies of a real server', () => {
  const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
  const br = (bytes: Buffer): Buffer => brotliCompressSync(bytes, fast);
  const encodings = { identity: Buffer.from, gzip: gzipSync, br, zstd: zstdCompressSync } as const;

  it.each(Object.entries(encodings))('are the bytes that were sent, many at a time: %s', async (encoding, encode) => {
    const server = createServer((request, response) => {
      readBody(
        request,
        10_000_000,
        (body) => response.end(body),
        (error) => response.writeHead(500).end(error.message),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    // Chunks that fill the buffers of the parser and of the decoders, and such that do not.
    const sizes = [150_000, 65_536, 131_072, 700_001, 300_000, 65_537];
    const ask = async (size: number): Promise<boolean> => {
      const sent = randomBytes(Math.ceil(size / 2))
        .toString('hex')
        .slice(0, size);
      const headers = encoding === 'identity' ? {} : { 'content-encoding': encoding };
      const answer = await fetch(url, { method: 'POST', headers, body: Uint8Array.from(encode(Buffer.from(sent))) });
      return (await answer.text()) === sent;
    };
    const answers = await Promise.all([...sizes, ...sizes, ...sizes].map(ask));
    server.closeAllConnections();
    server.close();
    expect(answers).toEqual(answers.map(() => true));
  });
});
