import type { IncomingMessage } from 'node:http';
import { SluiceError } from '../errors/index.ts';
import { passingBodies } from '../gateway/passing-bytes.ts';

/** Prompts with images and files inside come as base64. */
export const mostBodyBytes = 50 * 1024 * 1024;

/**
 * Reads a whole body into memory and hands it over; a caller who leaves before its end is not told of.
 * A body above `limit` fails at its first byte too many, or at once where its length is announced.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  done: (body: Buffer) => void,
  fail: (error: SluiceError) => void,
): void {
  const tooLarge = (): SluiceError => new SluiceError('request_too_large', { values: { limit } });
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    fail(tooLarge());
    return;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= limit) chunks.push(chunk);
    else {
      request.removeAllListeners('data').removeAllListeners('end');
      // What is still to come is read and thrown away, so that the answer reaches a caller who sends before it reads.
      request.resume();
      fail(tooLarge());
    }
  });
  request.on('end', () => {
    passingBodies.add(length);
    done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
  });
  request.on('error', () => undefined);
}
