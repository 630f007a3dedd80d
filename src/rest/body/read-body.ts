import type { IncomingMessage } from 'node:http';
import { SluiceError, toSluiceError } from '../../errors/index.ts';
import { bodyEncodingOf, readEncodedBody, type BodyEncoding } from './decode-body.ts';
import { drainRequest } from '../http/drain-request.ts';
import { bodyGcPressure } from '../../gateway/metrics/gc-pressure.ts';

/** Prompts contain images and files as base64. */
export const MAX_BODY_BYTES = 50 * 1024 * 1024;

/**
 * Reads a complete body into memory and decodes it if it is compressed. Neither callback is called if the client disconnects.
 * A body above `limit` fails by its content length or at the first excess byte, after the rest is read and discarded.
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
