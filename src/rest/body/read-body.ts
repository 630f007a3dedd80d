import type { IncomingMessage } from 'node:http';
import { SluiceError, toSluiceError } from '../../errors/index.ts';
import { drainRequest } from '../http/drain-request.ts';
import { bodyGcPressure } from '../../gateway/metrics/gc-pressure.ts';
import { createBrotliDecompress, createGunzip, createZstdDecompress, type ZlibOptions } from 'node:zlib';

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
    const [first] = chunks;
    const body = chunks.length === 1 && first ? first : joined(chunks, length);
    // The listeners remain until the response ends.
    chunks.length = 0;
    done(body);
  });
}

/**
 * Copies chunks into one body, and frees their memory at once: V8 would count it until it collects them, and collects the whole
 * heap for each 64 MB that it counts.
 */
function joined(chunks: readonly Buffer[], length: number): Buffer {
  const body = Buffer.concat(chunks, length);
  for (const { buffer, byteLength } of chunks) {
    // Memory of its own, which Node allocated for this chunk. Only pooled memory is shared, and no chunk fills a pool.
    if (buffer instanceof ArrayBuffer && !buffer.detached && buffer.byteLength === byteLength) buffer.transfer(0);
  }
  return body;
}

const CHUNK_BYTES = 64 * 1024;
/** Expansion up to this size is not limited: repeated words compress well. */
const FREE_BYTES = 4 * 1024 * 1024;
/** Maximum ratio above that size. Text and base64 expand less than twentyfold. */
const MAX_EXPANSION = 100;

const options: ZlibOptions = { chunkSize: CHUNK_BYTES };
const decoders = {
  gzip: () => createGunzip(options),
  'x-gzip': () => createGunzip(options),
  br: () => createBrotliDecompress({ chunkSize: CHUNK_BYTES }),
  zstd: () => createZstdDecompress({ chunkSize: CHUNK_BYTES }),
} as const;

type BodyEncoding = keyof typeof decoders;

/** The encoding of a body; null if it is not encoded. @throws SluiceError unsupported_content_encoding */
function bodyEncodingOf({ headers }: IncomingMessage): BodyEncoding | null {
  const named = headers['content-encoding'];
  if (named === undefined) return null;
  const encoding = named.trim().toLowerCase();
  if (encoding === 'identity') return null;
  if (isSupported(encoding)) return encoding;
  throw new SluiceError('unsupported_content_encoding', {
    values: { encoding: named.slice(0, 100), supported: 'it as gzip, br or zstd, or uncompressed' },
  });
}

function isSupported(encoding: string): encoding is BodyEncoding {
  return Object.hasOwn(decoders, encoding);
}

/**
 * Reads and decodes a compressed body. It fails as soon as more than `limit` bytes, or more than a hundred times the received
 * bytes, are decoded. Neither callback is called if the client disconnects before the end.
 */
function readEncodedBody(
  request: IncomingMessage,
  encoding: BodyEncoding,
  limit: number,
  done: (body: Buffer) => void,
  fail: (error: SluiceError) => void,
): void {
  const decoder = decoders[encoding]();
  const chunks: Buffer[] = [];
  let [received, decoded, isOver] = [0, 0, false];
  const refuse = (error: SluiceError): void => {
    if (isOver) return;
    isOver = true;
    chunks.length = 0;
    request.unpipe(decoder);
    decoder.destroy();
    drainRequest(request, () => fail(error));
  };
  request
    .on('error', () => undefined)
    .on('close', () => {
      if (!request.complete) decoder.destroy();
    })
    .on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > limit) refuse(new SluiceError('request_too_large', { values: { limit } }));
    });
  decoder
    .on('error', () => refuse(new SluiceError('invalid_compression', { values: { encoding } })))
    .on('data', (chunk: Buffer) => {
      decoded += chunk.length;
      if (decoded > limit) refuse(new SluiceError('request_too_large', { values: { limit } }));
      else if (decoded > FREE_BYTES && decoded > MAX_EXPANSION * received)
        refuse(new SluiceError('compression_too_high', { values: { limit: MAX_EXPANSION } }));
      else if (!isOver) chunks.push(chunk);
    })
    .on('end', () => {
      if (isOver) return;
      isOver = true;
      bodyGcPressure.add(decoded);
      const body = joined(chunks, decoded);
      chunks.length = 0;
      done(body);
    });
  request.pipe(decoder);
}
