import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

const MEGABYTE = 1024 * 1024;
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.close());

const encodings = [
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
] as const;

const answerSchema = z.looseObject({ error: z.looseObject({ code: z.string().nullable() }).optional() });

async function post(
  encoding: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<{ status: number; code: string | null | undefined }> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'content-encoding': encoding },
    body,
  });
  return { status: response.status, code: answerSchema.parse(await response.json()).error?.code };
}

function chat(content: string): string {
  return JSON.stringify({ model: 'sandbox/chat', max_tokens: 5, messages: [{ role: 'user', content }] });
}

describe.each(encodings)('a body in %s', (encoding, compress) => {
  const packed = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(compress(text));

  it('is decoded', async () => {
    expect(await post(encoding, packed(chat('Hello')))).toEqual({ status: 200, code: undefined });
    expect(await post(encoding.toUpperCase(), packed(chat('Hello')))).toEqual({ status: 200, code: undefined });
  });

  it('returns 400 if it is truncated or corrupt', async () => {
    const body = packed(chat('Hello '.repeat(1_000)));
    expect(await post(encoding, body.slice(0, -5))).toEqual({ status: 400, code: 'invalid_compression' });
    expect(await post(encoding, Uint8Array.from(Buffer.from('{}')))).toEqual({
      status: 400,
      code: 'invalid_compression',
    });
  });

  it('is refused before it is completely decoded if it expands more than a hundred times', async () => {
    const bomb = packed(chat('0'.repeat(20 * MEGABYTE)));
    expect(bomb.length).toBeLessThan(MEGABYTE);
    expect(await post(encoding, bomb)).toEqual({ status: 413, code: 'compression_too_high' });
  });
});

it('refuses a compressed body whose content exceeds the limit of a body', async () => {
  const values = Buffer.alloc(26 * MEGABYTE);
  for (let at = 0, seed = 1; at < values.length; at += 4) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    values.writeUInt32LE(seed, at);
  }
  const body = Uint8Array.from(zstdCompressSync(values.toString('hex')));
  expect(body.length).toBeLessThan(50 * MEGABYTE);
  expect(await post('zstd', body)).toEqual({ status: 413, code: 'request_too_large' });
});
