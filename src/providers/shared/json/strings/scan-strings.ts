import {
  BLOCK_BYTES,
  BOUNDS_AT,
  LONG_STRING_BYTES,
  STATE_AT,
  stringProgram,
  WINDOW_AT,
  WINDOW_BYTES,
} from './string-program.ts';

/**
 * Finds the long strings of a JSON text, and validates the content of all strings as JSON.parse does: escapes, control
 * characters, and their ends. What is between strings is not validated.
 * @returns starts, and the offsets behind the ends, in turn; null where a string is invalid
 */
export type ScanStrings = (json: Buffer) => readonly number[] | null;

/** More strings are not reported: readers search for the ends of the others. */
const MAX_REPORTED = 65_536;
const [SPACE, QUOTE, BACKSLASH, LETTER_U] = [0x20, 0x22, 0x5c, 0x75];
const HEX_DIGITS = 4;
const ESCAPES = new Set(Buffer.from('"\\/bfnrt'));

/** Without the processor's vector instructions, for machines that have none. */
export const scanStringsByByte: ScanStrings = (json) => {
  const bounds: number[] = [];
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    // It is invalid there. The parser reports it.
    if (byte === BACKSLASH) at++;
    if (byte !== QUOTE) continue;
    const end = validEnd(json, at);
    if (end === null) return null;
    if (end - at > LONG_STRING_BYTES && bounds.length < 2 * MAX_REPORTED) bounds.push(at, end);
    at = end - 1;
  }
  return bounds;
};

function validEnd(json: Buffer, start: number): number | null {
  for (let at = start + 1; at < json.length; at++) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) return at + 1;
    if (byte < SPACE) return null;
    if (byte !== BACKSLASH) continue;
    const escape = json[++at] ?? 0;
    if (escape === LETTER_U) {
      for (let digit = 1; digit <= HEX_DIGITS; digit++) if (!isHexDigit(json[at + digit])) return null;
      at += HEX_DIGITS;
    } else if (!ESCAPES.has(escape)) return null;
  }
  return null;
}

function isHexDigit(byte: number | undefined): boolean {
  return byte !== undefined && /[0-9a-f]/i.test(String.fromCharCode(byte));
}

/** What is used of `WebAssembly`, which the types of Node.js lack. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Exports };
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly run: (offset: number, end: number) => number;
}

/** By vector instructions. @throws Error where the machine has none */
export function vectorScan(): ScanStrings {
  const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }).WebAssembly;
  const { memory, run } = new Instance(new Module(stringProgram())).exports;
  const window = new Uint8Array(memory.buffer);
  const state = new Int32Array(memory.buffer, STATE_AT, 4);
  const found = new Int32Array(memory.buffer, BOUNDS_AT, (WINDOW_AT - BOUNDS_AT) / Int32Array.BYTES_PER_ELEMENT);
  return (json) => {
    const bounds: number[] = [];
    // Outside of strings, nothing carried.
    state.set([0, 0, 0, -1]);
    for (let at = 0; at < json.length; at += WINDOW_BYTES) {
      const length = json.copy(window, WINDOW_AT, at, at + WINDOW_BYTES);
      const end = WINDOW_AT + length;
      const padded = Math.ceil(end / BLOCK_BYTES) * BLOCK_BYTES;
      if (padded > end) window.fill(SPACE, end, padded);
      const written = run(at - WINDOW_AT, padded);
      if (written < 0) return null;
      const count = written / Int32Array.BYTES_PER_ELEMENT;
      for (let index = 0; index < count && bounds.length < 2 * MAX_REPORTED; index++) bounds.push(found[index] ?? 0);
    }
    return state[0] === 0 ? bounds : null;
  };
}

/** Compiled at the first long text. */
let scan: ScanStrings | null = null;

export const scanStrings: ScanStrings = (json) => {
  scan ??= fastestScan();
  return scan(json);
};

function fastestScan(): ScanStrings {
  try {
    return vectorScan();
  } catch {
    return scanStringsByByte;
  }
}
