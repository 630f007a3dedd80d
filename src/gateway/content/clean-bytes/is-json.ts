const [QUOTE, BACKSLASH, COMMA, COLON, MINUS, DOT, ZERO] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2e, 0x30];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
const NONE = -1;
/** Deeper values are not examined. */
const MAX_DEPTH = 256;
/** Bytes of a string that are looked at: quotes, backslashes, and control characters, which are invalid. */
const endsPlainText = new Uint8Array(256).fill(1, 0, 0x20);
endsPlainText[QUOTE] = 1;
endsPlainText[BACKSLASH] = 1;
/** Whether each open value is an object. */
const isObject = new Uint8Array(MAX_DEPTH);

/**
 * Whether bytes are JSON (RFC 8259), as `JSON.parse` reads them: one pass, which makes no objects. False for deeply nested ones.
 * @param end of those between `start` and it
 */
export function isJson(bytes: Uint8Array, start = 0, end = bytes.length): boolean {
  let depth = 0;
  let at = start;
  for (;;) {
    at = spaceEnd(bytes, at);
    const first = bytes[at];
    if (first === OPEN_BRACE || first === OPEN_BRACKET) {
      const isOfObject = first === OPEN_BRACE;
      at = spaceEnd(bytes, at + 1);
      if (bytes[at] !== (isOfObject ? CLOSE_BRACE : CLOSE_BRACKET)) {
        if (depth === MAX_DEPTH) return false;
        isObject[depth++] = isOfObject ? 1 : 0;
        if (isOfObject) at = nameEnd(bytes, at);
        if (at === NONE) return false;
        continue;
      }
      at += 1;
    } else at = scalarEnd(bytes, at);
    // After a value: the end of those that it is the last of, or a comma.
    for (;;) {
      if (at === NONE) return false;
      at = spaceEnd(bytes, at);
      if (depth === 0) return at === end;
      if (at >= end) return false;
      const isOfObject = isObject[depth - 1] === 1;
      const next = bytes[at];
      at += 1;
      if (next === COMMA) {
        if (isOfObject) at = nameEnd(bytes, spaceEnd(bytes, at));
        if (at === NONE) return false;
        break;
      }
      if (next !== (isOfObject ? CLOSE_BRACE : CLOSE_BRACKET)) return false;
      depth -= 1;
    }
  }
}

function spaceEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    const byte = bytes[at];
    // Most have no white space before them.
    if (byte === undefined || byte > 0x20) return at;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
}

/** @returns the end of a name and its colon; -1 for anything else, as below */
function nameEnd(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== QUOTE) return NONE;
  const end = stringEnd(bytes, start + 1);
  if (end === NONE) return NONE;
  const colon = spaceEnd(bytes, end);
  return bytes[colon] === COLON ? colon + 1 : NONE;
}

function scalarEnd(bytes: Uint8Array, start: number): number {
  switch (bytes[start]) {
    case QUOTE:
      return stringEnd(bytes, start + 1);
    case 0x74:
      return wordEnd(bytes, start, 'true');
    case 0x66:
      return wordEnd(bytes, start, 'false');
    case 0x6e:
      return wordEnd(bytes, start, 'null');
    default:
      return numberEnd(bytes, start);
  }
}

/** @param start after the opening quote */
function stringEnd(bytes: Uint8Array, start: number): number {
  const { length } = bytes;
  for (let at = start; at < length; at += 1) {
    const byte = bytes[at] as number;
    if (endsPlainText[byte] === 0) continue;
    if (byte === QUOTE) return at + 1;
    if (byte !== BACKSLASH) return NONE;
    at += 1;
    if (!isEscape(bytes, at)) return NONE;
  }
  return NONE;
}

/** @param at after the backslash */
function isEscape(bytes: Uint8Array, at: number): boolean {
  const byte = bytes[at];
  if (byte !== 0x75) return byte !== undefined && '"\\/bfnrt'.includes(String.fromCharCode(byte));
  for (let digit = at + 1; digit <= at + 4; digit += 1) {
    const lower = (bytes[digit] ?? 0) | 0x20;
    if (!isDigit(bytes[digit]) && !(lower >= 0x61 && lower <= 0x66)) return false;
  }
  return true;
}

function wordEnd(bytes: Uint8Array, start: number, word: string): number {
  for (let at = 0; at < word.length; at += 1) if (bytes[start + at] !== word.charCodeAt(at)) return NONE;
  return start + word.length;
}

function numberEnd(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  if (bytes[at] === ZERO) at += 1;
  else at = digitsEnd(bytes, at);
  if (at !== NONE && bytes[at] === DOT) at = digitsEnd(bytes, at + 1);
  if (at === NONE || ((bytes[at] ?? 0) | 0x20) !== 0x65) return at;
  const sign = bytes[at + 1];
  return digitsEnd(bytes, sign === 0x2b || sign === MINUS ? at + 2 : at + 1);
}

/** One digit or more. */
function digitsEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(bytes[at])) at += 1;
  return at === start ? NONE : at;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}
