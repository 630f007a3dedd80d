import { Readable } from 'node:stream';

/** A stream costs some microseconds. */
const LONG_BYTES = 64 * 1024;

/** Whether a body is sent by `readOnce`: undici retains what it sent until the response ends, which may take an hour. */
export function isLong(body: Buffer | string): boolean {
  return body.length >= LONG_BYTES;
}

/** A stream that retains nothing once it was read. */
export function readOnce(bytes: Buffer): Readable {
  const stream = new Readable({ read: () => undefined });
  stream.push(bytes);
  stream.push(null);
  return stream;
}
