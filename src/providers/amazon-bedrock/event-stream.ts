import { crc32 } from 'node:zlib';

/** A message of AWS's event stream. */
export interface EventMessage {
  /** By their names: `:message-type`, `:event-type`, `:exception-type`. Those of other types than text are left out. */
  readonly headers: ReadonlyMap<string, string>;
  readonly payload: Buffer;
}

const PRELUDE_BYTES = 8;
const CRC_BYTES = 4;
const MIN_BYTES = PRELUDE_BYTES + 2 * CRC_BYTES;
/** AWS's own limit of a payload is 16 MB, of all headers 128 kB. */
const MAX_BYTES = 17 * 1024 * 1024;

const STRING = 7;
/** Bytes of the values of other types. Those with a length of their own are strings and byte arrays. */
const valueBytes: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };

/**
 * Reads `application/vnd.amazon.eventstream` from pieces of any size. A message: total length, length of its headers, their
 * CRC-32 (4 bytes each, big-endian), headers, payload, and the CRC-32 of all before. Source:
 * docs.aws.amazon.com/transcribe/latest/dg/event-stream.html, "Event stream encoding".
 */
export class EventStreamReader {
  readonly #pieces: Buffer[] = [];
  #length = 0;

  /** Whether it is within a message. */
  get isIncomplete(): boolean {
    return this.#length > 0;
  }

  push(bytes: Buffer): void {
    this.#pieces.push(bytes);
    this.#length += bytes.length;
  }

  /** @returns null until a message is complete @throws Error for bytes that are no event stream */
  next(): EventMessage | null {
    const message = this.#take();
    return message && decoded(message);
  }

  /** The bytes of the next message; null until it is complete. */
  #take(): Buffer | null {
    if (this.#length < PRELUDE_BYTES + CRC_BYTES) return null;
    const prelude = this.#joined(PRELUDE_BYTES + CRC_BYTES);
    const total = prelude.readUInt32BE(0);
    if (total < MIN_BYTES || total > MAX_BYTES) throw new Error(`a message of ${total} bytes`);
    // A wrong length would be waited for.
    requireChecksum(prelude, PRELUDE_BYTES);
    if (this.#length < total) return null;
    const all = this.#joined(total);
    this.#length -= total;
    this.#pieces[0] = all.subarray(total);
    if (this.#pieces[0].length === 0) this.#pieces.shift();
    return all.subarray(0, total);
  }

  /** The first piece, which then has so many bytes at least: a long message is joined once. */
  #joined(bytes: number): Buffer {
    const [first] = this.#pieces;
    if (first !== undefined && first.length >= bytes) return first;
    const all = Buffer.concat(this.#pieces);
    this.#pieces.splice(0, Infinity, all);
    return all;
  }
}

function decoded(message: Buffer): EventMessage {
  const headersEnd = PRELUDE_BYTES + CRC_BYTES + message.readUInt32BE(4);
  const payloadEnd = message.length - CRC_BYTES;
  requireChecksum(message, payloadEnd);
  if (headersEnd > payloadEnd) throw new Error('headers longer than their message');
  const headers = readHeaders(message.subarray(PRELUDE_BYTES + CRC_BYTES, headersEnd));
  return { headers, payload: message.subarray(headersEnd, payloadEnd) };
}

function requireChecksum(message: Buffer, end: number): void {
  if (crc32(message.subarray(0, end)) !== message.readUInt32BE(end)) throw new Error('a wrong checksum');
}

/** @throws RangeError for a header that is cut */
function readHeaders(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    const name = bytes.toString('utf8', at + 1, nameEnd);
    const type = bytes.readUInt8(nameEnd);
    const fixed = valueBytes[type];
    const start = nameEnd + (fixed === undefined ? 3 : 1);
    const end = start + (fixed ?? bytes.readUInt16BE(nameEnd + 1));
    if (type === STRING) headers.set(name, bytes.toString('utf8', start, end));
    at = end;
  }
  return headers;
}
