import { scanStrings } from './scan-strings.ts';

/** The strings of shorter texts are searched whenever they are read. */
export const MIN_INDEXED_BYTES = 8 * 1024;

/** Starts of the long strings of a JSON text, and the offsets behind their ends, in turn. */
export type LongStrings = readonly number[];

/** Where the long strings of texts are: texts are read several times, and their strings are most of them. Null for invalid ones. */
const known = new WeakMap<Buffer, LongStrings | null>();

/** The long strings of a JSON text, found in one pass. Null where a string is not as JSON.parse accepts it. */
export function longStringsIn(json: Buffer): LongStrings | null {
  let strings = known.get(json);
  if (strings === undefined) {
    strings = scanStrings(json);
    known.set(json, strings);
  }
  return strings;
}

/** The offset behind a string, where it is known; 0 otherwise. */
export function knownStringEnd(json: Buffer, start: number): number {
  if (json.length < MIN_INDEXED_BYTES) return 0;
  const strings = known.get(json);
  if (strings === undefined || strings === null) return 0;
  let [low, high] = [0, strings.length / 2 - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = strings[2 * middle] ?? 0;
    if (found === start) return strings[2 * middle + 1] ?? 0;
    if (found < start) low = middle + 1;
    else high = middle - 1;
  }
  return 0;
}

/** A search between two strings costs as much as one of so many bytes. */
const BYTES_PER_SEARCH = 1024;

/**
 * Whether a JSON text has a short string, such as a member's name, in this spelling. Its long strings are skipped where they are
 * known: the quotes of a text are escaped in them.
 * @param quoted with its quotes
 */
export function hasString(json: Buffer, quoted: string): boolean {
  const strings = known.get(json) ?? [];
  if (strings.length * BYTES_PER_SEARCH > json.length) return json.includes(quoted);
  let from = 0;
  for (let index = 0; index < strings.length; index += 2) {
    if (json.subarray(from, strings[index]).includes(quoted)) return true;
    from = strings[index + 1] ?? 0;
  }
  return (from === 0 ? json : json.subarray(from)).includes(quoted);
}

/** To be called where a string of the text is overwritten in place. */
export function forgetStrings(json: Buffer): void {
  known.delete(json);
}
