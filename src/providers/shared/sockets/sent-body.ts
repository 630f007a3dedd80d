import { Readable } from 'node:stream';

/** Pieces are sent one after another, as one body. */
export type SentBody = Buffer | string | readonly Buffer[];

/** A stream costs some microseconds. */
const LONG_BYTES = 64 * 1024;
/** Copying so many bytes costs less than a write. */
const SMALL_BYTES = 4 * 1024;

/** Whether a body is sent by `readOnce`: undici retains what it sent until the response ends, which may take an hour. */
export function isLong(body: SentBody): boolean {
  return lengthOf(body) >= LONG_BYTES;
}

/** In bytes, of a text in characters. */
function lengthOf(body: SentBody): number {
  return isInPieces(body) ? body.reduce((sum, { length }) => sum + length, 0) : body.length;
}

/** The body in one piece. */
export function wholeBody(body: SentBody): Buffer | string {
  return isInPieces(body) ? Buffer.concat(body) : body;
}

/** A body as bytes that a stream reads: it retains nothing once it was read. */
export function readOnce(body: SentBody): { readonly length: number; readonly stream: Readable } {
  const pieces = isInPieces(body) ? joinedSmall(body) : [Buffer.isBuffer(body) ? body : Buffer.from(body)];
  const stream = new Readable({ read: () => undefined });
  for (const piece of pieces) stream.push(piece);
  stream.push(null);
  return { length: lengthOf(pieces), stream };
}

function isInPieces(body: SentBody): body is readonly Buffer[] {
  return Array.isArray(body);
}

/** Joins neighbours that are small. */
function joinedSmall(pieces: readonly Buffer[]): readonly Buffer[] {
  const joined: Buffer[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last === undefined || last.length + piece.length > SMALL_BYTES) joined.push(piece);
    else joined[joined.length - 1] = Buffer.concat([last, piece]);
  }
  return joined;
}
