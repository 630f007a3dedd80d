import {
  AT_SIGN,
  BACKSLASH,
  COLON,
  DIGIT,
  FORMAT,
  hasWord,
  isDigit,
  isLetter,
  isOfToken,
  kindOf,
  lowerAt,
  OPENING,
  placeOf,
  WORD,
} from './byte-kinds.ts';
import { isThird, startsSecret } from './formats.ts';
import { followsPhoneName, mayNameSecret } from './names.ts';
import { NumberScan } from './numbers.ts';

/** Shorter base64 is no media: 64 characters, of which two can be `=`. */
const MIN_MEDIA_LENGTH = 62;
/** Redaction replaces what is nested more deeply than 512; JSON in strings counts. */
const MAX_OPEN = 256;
const MIN_IPV6_COLONS = 6;

/**
 * Whether redaction by the built-in detectors changes nothing in a JSON document: one pass over its bytes, which are not decoded.
 * False where it may change something. So an escape that could hide a character is false, as is everything that is hard to decide.
 * @param bytes valid JSON
 */
export function isCleanJson(bytes: Buffer): boolean {
  const numbers = new NumberScan();
  let opened = 0;
  let colons = 0;
  let lastColon = -1;
  let mayHaveExponent = false;
  let before = 0;
  const { length } = bytes;
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at] as number;
    const place = placeOf(before, byte);
    const kind = kindOf[place] as number;
    before = byte;
    // Most bytes: what is looked at costs more than all others, because processors cannot predict it.
    if (kind === 0) continue;
    if ((kind & FORMAT) !== 0 && isThird(place, bytes[at + 1]) && startsSecret(bytes, at - 1)) return false;
    if ((kind & DIGIT) !== 0) {
      const from = at;
      while (isDigit(bytes[at + 1])) at += 1;
      before = bytes[at] as number;
      if (numbers.isFound(bytes, from, at + 1)) return false;
      // Outside of strings no letter stands before a number.
      if (lowerAt(bytes, at + 1) === 0x65 && !isLetter(bytes[from - 1])) mayHaveExponent = true;
    } else if (kind === COLON) {
      colons = isHexadecimal(bytes, lastColon + 1, at) ? colons + 1 : 1;
      if (colons >= MIN_IPV6_COLONS || bytes[at - 1] === 0x3a || followsPhoneName(bytes, at)) return false;
      lastColon = at;
    } else if ((kind & WORD) !== 0) {
      if (mayNameSecret(bytes, at)) return false;
    } else if (kind === OPENING) opened += 1;
    else if (kind === BACKSLASH) {
      at = endOfEscape(bytes, at);
      if (at < 0) return false;
      before = bytes[at] as number;
    } else if (kind === AT_SIGN || (kind !== FORMAT && isMarked(bytes, at))) return false;
  }
  if ((mayHaveExponent || opened > MAX_OPEN) && !isPlainOutside(bytes)) return false;
  return !hasMedia(bytes);
}

/** Whether values are not nested deeply, and no number has an exponent, which makes a short number a long one. */
function isPlainOutside(bytes: Buffer): boolean {
  let isInString = false;
  let depth = 0;
  let opened = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === 0x22) {
      isInString = !isInString;
      opened = 0;
    } else if (byte === 0x5c) at += 1;
    else if (byte === 0x7b || byte === 0x5b) {
      if (isInString) opened += 1;
      else depth += 1;
      if (depth + opened > MAX_OPEN) return false;
    } else if (isInString) continue;
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    else if (lowerAt(bytes, at) === 0x65 && isDigit(bytes[at - 1])) return false;
  }
  return true;
}

/** Whether there is base64 as long as that of media. Such a text has a byte at one of these places. */
function hasMedia(bytes: Uint8Array): boolean {
  for (let place = MIN_MEDIA_LENGTH - 1; place < bytes.length; place += MIN_MEDIA_LENGTH) {
    let start = place;
    const minStart = place - MIN_MEDIA_LENGTH;
    while (start > minStart && isOfBase64(bytes[start])) start -= 1;
    let end = place + 1;
    const minEnd = start + 1 + MIN_MEDIA_LENGTH;
    if (start === place) continue;
    while (end < minEnd && isOfBase64(bytes[end])) end += 1;
    if (end === minEnd) return true;
  }
  return false;
}

function isOfBase64(byte: number | undefined): boolean {
  return isOfToken(byte) || byte === 0x2b || byte === 0x2f;
}

/** `Q~`, `;base64,`, `sig=` and `signature=`. */
function isMarked(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] === 0x7e) return bytes[at - 1] === 0x51;
  if (bytes[at] === 0x3b) return hasWord(bytes, at + 1, 'base64');
  return hasWord(bytes, at - 3, 'sig') || hasWord(bytes, at - 9, 'signature');
}

/** @returns the last byte of the escapes that start here; -1 where they may hide a character */
function endOfEscape(bytes: Uint8Array, first: number): number {
  let at = first;
  while (bytes[at + 1] === 0x5c) at += 1;
  if (hidesCharacter(bytes[at + 1])) return -1;
  // The last of an odd number escapes what follows.
  return (at - first) % 2 === 0 ? at + 1 : at;
}

/** `\u0040` is an `@`, `\/` a part of base64; all but `\n`, `\r`, `\t`, `\"` and `\\` are rare. */
function hidesCharacter(escaped: number | undefined): boolean {
  return escaped !== 0x6e && escaped !== 0x72 && escaped !== 0x74 && escaped !== 0x22 && escaped !== 0x5c;
}

/** Whether there are at most four hexadecimal digits, as between the colons of an IPv6 address. */
function isHexadecimal(bytes: Uint8Array, from: number, to: number): boolean {
  if (from === 0 || to - from > 4) return false;
  for (let at = from; at < to; at += 1) {
    const lower = (bytes[at] ?? 0) | 0x20;
    if (!isDigit(bytes[at]) && (lower < 0x61 || lower > 0x66)) return false;
  }
  return true;
}
