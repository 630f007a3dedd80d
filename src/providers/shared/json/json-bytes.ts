import { LONG_STRING_BYTES } from './strings/string-program.ts';
import { knownStringEnd } from './strings/long-strings.ts';

/** Offsets in the bytes of a JSON text that JSON.parse accepts: skipped values are not parsed. */
export const [QUOTE, COMMA, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [
  0x22, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d,
];
const [BACKSLASH, SPACE] = [0x5c, 0x20];

/** A member's name, unescaped. @param end behind its closing quote */
export function memberName(json: Buffer, start: number, end: number): string {
  const raw = json.toString('utf8', start + 1, end - 1);
  return raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw;
}

/** The offset of the next byte that is no white space. */
export function nextToken(json: Buffer, from: number): number {
  let at = from;
  while (at < json.length && (json[at] ?? 0) <= SPACE) at++;
  return at;
}

/**
 * The offset behind the closing quote of the string that opens at `start`. A loop is faster for a short one than a call of native
 * code.
 */
export function stringEnd(json: Buffer, start: number): number {
  for (let at = start + 1, isKnown = false; ; isKnown = true) {
    for (const near = at + LONG_STRING_BYTES; at < near; at++) {
      const byte = json[at];
      if (byte === QUOTE) return at + 1;
      if (byte === BACKSLASH) at++;
      if (byte === undefined) return json.length;
    }
    const end = isKnown ? 0 : knownStringEnd(json, start);
    if (end > 0) return end;
    // `at` is not inside an escape here: an escape is skipped as two bytes.
    const quote = json.indexOf(QUOTE, at);
    if (quote < 0) return json.length;
    let backslashes = 0;
    while (quote - 1 - backslashes >= at && json[quote - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
    // Escaped quotes usually come in groups.
    at = quote + 1;
  }
}

/** The offset behind the value that starts at `start`. */
export function valueEnd(json: Buffer, start: number): number {
  const first = json[start];
  if (first === QUOTE) return stringEnd(json, start);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return literalEnd(json, start);
  let depth = 0;
  for (let at = start; at < json.length;) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = stringEnd(json, at);
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return at + 1;
    at++;
  }
  return json.length;
}

function literalEnd(json: Buffer, start: number): number {
  let at = start;
  while (at < json.length) {
    const byte = json[at] ?? 0;
    if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte <= SPACE) break;
    at++;
  }
  return at;
}
