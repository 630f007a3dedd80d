import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
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
