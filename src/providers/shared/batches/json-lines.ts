import { isObject, type JsonObject } from '../../../protocols/canonical/json-members.ts';

const NEWLINE = 0x0a;
/** A longer line is no result of a request. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;

/**
 * Reads a file of JSON objects, a line each. It holds one line at a time; other lines are skipped.
 * @throws Error if a line is too long
 */
export async function* jsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<JsonObject, void> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const line = objectOf([...parts, chunk.subarray(from, at)]);
      if (line !== null) yield line;
      parts = [];
      length = 0;
      from = at + 1;
    }
    if (from === chunk.length) continue;
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > MAX_LINE_BYTES) throw new Error(`a line is longer than ${MAX_LINE_BYTES} bytes`);
  }
  const last = objectOf(parts);
  if (last !== null) yield last;
}

function objectOf(parts: readonly Uint8Array[]): JsonObject | null {
  try {
    const value: unknown = JSON.parse(Buffer.concat(parts).toString());
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
