import type { IncomingMessage } from 'node:http';
import { SluiceError, toSluiceError } from '../errors/index.ts';
import { bodyEncodingOf, readEncodedBody, type BodyEncoding } from './decode-body.ts';
import { drainRequest } from './drain-request.ts';
import { bodyGcPressure } from '../gateway/gc-pressure.ts';

/** Prompts with images and files inside come as base64. */
export const mostBodyBytes = 50 * 1024 * 1024;

/**
 * Reads a whole body into memory, decoded where it is compressed, and hands it over; a caller who leaves before its end is not told of.
 * A body above `limit` fails where its length is announced, or at its first byte too many: once the rest is read and thrown away.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  done: (body: Buffer) => void,
  fail: (error: SluiceError) => void,
): void {
  let encoding: BodyEncoding | null;
  try {
    encoding = bodyEncodingOf(request);
  } catch (error) {
    drainRequest(request, () => fail(toSluiceError(error)));
    return;
  }
  if (encoding === null) readPlainBody(request, limit, done, fail);
  else readEncodedBody(request, encoding, limit, done, fail);
}

function readPlainBody(
  request: IncomingMessage,
  limit: number,
  done: (body: Buffer) => void,
  fail: (error: SluiceError) => void,
): void {
  request.on('error', () => undefined);
  const refuse = (): void =>
    drainRequest(request, () => fail(new SluiceError('request_too_large', { values: { limit } })));
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    refuse();
    return;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= limit) chunks.push(chunk);
    else {
      request.removeAllListeners('data').removeAllListeners('end');
      chunks.length = 0;
      refuse();
    }
  });
  request.on('end', () => {
    bodyGcPressure.add(length);
    done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
  });
}
