/** What the pass over the bytes does with each. */
export const PLAIN = 0;
/** A letter of a word, which is looked at. */
export const LETTER = 1;
export const DIGIT = 2;
/** Continues base64, and ends a run of characters of a token, as all below. */
export const BASE64_SIGN = 3;
/** Breaks are even and quotes odd, which the pass uses. */
const BREAK = 4;
export const QUOTE = 5;
export const COLON = 6;
export const BACKSLASH = 7;
export const OPENING = 8;
export const CLOSING = 9;
export const AT_SIGN = 10;
/** A part of a format, which is looked at. */
const MARK = 11;

export const kindOf = new Uint8Array(256).fill(BREAK);
const set = (characters: string, kind: number): void => {
  for (const character of characters) kindOf[character.charCodeAt(0)] = kind;
};
set('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-', PLAIN);
set('0123456789', DIGIT);
set('"', QUOTE);
set('\\', BACKSLASH);
set('{[', OPENING);
set('}]', CLOSING);
set(':', COLON);
set('@', AT_SIGN);
set('+/', BASE64_SIGN);
set('cCkKwWpPzZbBJ', LETTER);
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
