import type { BatchRequest, InputPosition, LeasedBatch } from './batch.ts';

const NEWLINE = 0x0a;

export interface InputLine {
  /** Without its newline. */
  readonly bytes: Buffer;
  /** Offset of the next line. */
  readonly end: number;
}

/** A line is longer than it may be. */
export class LineTooLong extends Error {}

/**
 * Splits a file into lines. It holds one line at a time.
 * @param offset of the first byte
 * @throws LineTooLong
 */
export async function* inputLines(
  chunks: AsyncIterable<Uint8Array>,
  offset = 0,
  maxLineBytes = Infinity,
): AsyncGenerator<InputLine, void> {
  let parts: Buffer[] = [];
  let start = offset;
  let end = offset;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
      parts.push(bytes.subarray(from, at));
      end += at + 1 - from;
      yield { bytes: joined(parts), end };
      start = end;
      parts = [];
      from = at + 1;
    }
    if (from < bytes.length) parts.push(bytes.subarray(from));
    end += bytes.length - from;
    if (end - start > maxLineBytes) throw new LineTooLong();
  }
  if (parts.length > 0) yield { bytes: joined(parts), end };
}

function joined(parts: readonly Buffer[]): Buffer {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}

/** A validated request as a line of the input. */
export function inputLineOf({ customId, body }: BatchRequest): string {
  return `${JSON.stringify({ customId, body })}\n`;
}

export function readInputLine(bytes: Buffer): BatchRequest {
  return JSON.parse(bytes.toString());
}

/** Lines that are read at once; after all of them are done, the position is stored. */
const CHUNK = { lines: 64, bytes: 8 * 1024 * 1024 };

/** Lines to handle together. */
interface Chunk {
  readonly lines: readonly InputLine[];
  readonly end: InputPosition;
}

/** @throws Error if the input is shorter than the number of its lines */
export async function readChunk(
  input: AsyncGenerator<InputLine, void>,
  { nextLine, total }: LeasedBatch,
): Promise<Chunk> {
  const lines: InputLine[] = [];
  let bytes = 0;
  while (lines.length < CHUNK.lines && bytes < CHUNK.bytes && nextLine + lines.length < total) {
    const next = await input.next();
    if (next.done === true) throw new Error('The input of the batch is incomplete.');
    lines.push(next.value);
    bytes += next.value.bytes.length;
  }
  return { lines, end: { offset: lines.at(-1)?.end ?? 0, line: nextLine + lines.length } };
}
