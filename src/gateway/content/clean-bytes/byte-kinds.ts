/** What the pass over the bytes looks at: bits. Words and formats are known by two bytes, all others by one. */
export const WORD = 1;
export const FORMAT = 2;
export const DIGIT = 4;
export const COLON = 8;
export const BACKSLASH = 16;
export const OPENING = 32;
export const AT_SIGN = 64;
/** A part of a format, which is looked at. */
const MARK = 128;

const SECONDS = 256;

/** The kind of a byte and the one before, by `placeOf`. Most have none. */
export const kindOf = new Uint8Array(128 * SECONDS);

/** Of the byte before, the highest bit does not count. */
export function placeOf(before: number, byte: number): number {
  return ((before & 0x7f) << 8) | byte;
}

/** @param pairs of characters, separated by spaces */
export function setPairs(pairs: string, kind: number): void {
  for (const pair of pairs.split(' ')) addKind(pair.charCodeAt(0), pair.charCodeAt(1), kind);
}

function addKind(before: number, byte: number, kind: number): void {
  const place = placeOf(before, byte);
  kindOf[place] = (kindOf[place] ?? 0) | kind;
}

const set = (characters: string, kind: number): void => {
  for (const character of characters)
    for (let before = 0; before < 128; before += 1) addKind(before, character.charCodeAt(0), kind);
};
set('0123456789', DIGIT);
set('\\', BACKSLASH);
set('{[', OPENING);
set(':', COLON);
set('@', AT_SIGN);
set('=~;', MARK);

export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

export function isLetter(byte: number | undefined): boolean {
  const lower = (byte ?? 0) | 0x20;
  return byte !== undefined && lower >= 0x61 && lower <= 0x7a;
}

const ofToken = new Uint8Array(256);
for (let byte = 0; byte < ofToken.length; byte += 1)
  if (isLetter(byte) || isDigit(byte) || byte === 0x5f || byte === 0x2d) ofToken[byte] = 1;

/** Letters, digits, `_` and `-`. */
export function isOfToken(byte: number | undefined): boolean {
  return byte !== undefined && ofToken[byte] === 1;
}

export const PAIRS = 128 * 128;

/** The place of two bytes in a table; those that are not of ASCII share places with others. */
export function pairOf(first = 0, second = 0): number {
  return ((first & 0x7f) << 7) | (second & 0x7f);
}

/** A letter in lower case; no letter where there is none. */
export function lowerAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | 0x20;
}

/** Whether these lower-case letters start at a place, in any case. */
export function hasWord(bytes: Uint8Array, at: number, word: string): boolean {
  for (let index = 0; index < word.length; index += 1)
    if (((bytes[at + index] ?? 0) | 0x20) !== (word.charCodeAt(index) | 0x20)) return false;
  return true;
}
