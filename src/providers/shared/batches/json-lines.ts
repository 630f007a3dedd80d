import { isObject, type JsonObject } from '../../../protocols/canonical/json-members.ts';

const NEWLINE = 0x0a;
/** As that of an unstreamed response. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** Of a line that is too long, what may name its request: providers write its id before or after the response. */
const EDGE_BYTES = 4 * 1024;

export interface JsonLinesOptions {
  /** The member that names the request of a line. */
  readonly idName?: string;
  readonly maxLineBytes?: number;
}

/**
 * Reads a file of JSON objects, a line each. It holds one line at a time, and of a line that is too long only its ends; lines
 * that are no object are skipped.
 * @param tooLong what a line that is too long is read as, beside the id of its request
 */
export async function* jsonLines(
  chunks: AsyncIterable<Uint8Array>,
  tooLong: JsonObject,
  { idName = 'custom_id', maxLineBytes = MAX_LINE_BYTES }: JsonLinesOptions = {},
): AsyncGenerator<JsonObject, void> {
  let line = new Line(tooLong, idName, maxLineBytes);
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      line.add(chunk.subarray(from, at));
      const value = line.read();
      line = new Line(tooLong, idName, maxLineBytes);
      if (value !== null) yield value;
      from = at + 1;
    }
    if (from < chunk.length) line.add(chunk.subarray(from));
  }
  const last = line.read();
  if (last !== null) yield last;
}

/** A line while it arrives. */
class Line {
  readonly #tooLong: JsonObject;
  readonly #idName: string;
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  /** The ends of a line that is too long. */
  #edges: { readonly head: Buffer; readonly tail: Buffer } | null = null;

  constructor(tooLong: JsonObject, idName: string, maxBytes: number) {
    this.#tooLong = tooLong;
    this.#idName = idName;
    this.#maxBytes = maxBytes;
  }

  add(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    this.#parts.push(bytes);
    if (this.#bytes <= this.#maxBytes) return;
    const all = Buffer.concat(this.#edges === null ? this.#parts : [this.#edges.tail, ...this.#parts]);
    const head = this.#edges?.head ?? Buffer.from(all.subarray(0, EDGE_BYTES));
    this.#edges = { head, tail: Buffer.from(all.subarray(-EDGE_BYTES)) };
    this.#parts = [];
  }

  /** Null for a line that is no object, or that names no request where it is too long. */
  read(): JsonObject | null {
    if (this.#edges === null) return objectOf(Buffer.concat(this.#parts).toString());
    const { head, tail } = this.#edges;
    const pattern = new RegExp(`"${this.#idName}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`);
    const [, id] = pattern.exec(head.toString()) ?? pattern.exec(tail.toString()) ?? [];
    const named = id === undefined ? null : objectOf(`{"${this.#idName}":${id}}`);
    return named && { ...named, ...this.#tooLong };
  }
}

function objectOf(json: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
