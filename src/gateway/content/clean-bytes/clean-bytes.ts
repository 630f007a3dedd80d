import {
  AT_SIGN,
  BACKSLASH,
  BASE64_SIGN,
  CLOSING,
  COLON,
  DIGIT,
  hasWord,
  isDigit,
  kindOf,
  LETTER,
  lowerAt,
  OPENING,
  pairOf,
  PAIRS,
  PLAIN,
  QUOTE,
} from './byte-kinds.ts';
import { followsPhoneName, isOfWord, mayNameSecret } from './names.ts';
import { NumberScan } from './numbers.ts';

/** No format of a secret is shorter, but for JSON Web Tokens, which are found by their start. */
const MIN_TOKEN_LENGTH = 15;
/** What stands before such a token, as in `ya29.`. */
const TOKEN_LEAD = 5;
const formats =
  /sk-|k_live|k_test|whsec|A[KS]IA|gh[pousr]_|github_pat|gl(?:pat|ptt|dt|rt|cbt|ft|soat)|xox|xapp|AIza|ya29\.|GOCSPX|hf_|npm_|gsk_|pplx|r8_|dop_v1|xai-|SG\./;
/** By the first two bytes of each format. */
const startsFormat = new Uint8Array(PAIRS);
for (const [first, second] of 'sk k_ wh AK AS gh gi gl xo xa AI ya GO hf np gs pp r8 do SG'.split(' '))
  startsFormat[pairOf(first?.charCodeAt(0), second?.charCodeAt(0))] = 1;
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
  /** 1 or 0. */
  let isInString = 0;
  let tokenStart = 0;
  let base64Start = 0;
  let depth = 0;
  let opened = 0;
  let colons = 0;
  let lastColon = -1;
  const { length } = bytes;
  for (let at = 0; at < length; at += 1) {
    const kind = kindOf[bytes[at] as number] as number;
    if (kind === PLAIN) continue;
    if (kind <= DIGIT) {
      if (kind === LETTER) {
        if (isOfWord(bytes, at) && mayNameSecret(bytes, at)) return false;
        continue;
      }
      const from = at;
      while (isDigit(bytes[at + 1])) at += 1;
      if (numbers.isFound(bytes, from, at + 1)) return false;
      // An exponent makes a short number a long one.
      if (isInString === 0 && lowerAt(bytes, at + 1) === 0x65) return false;
      continue;
    }
    if (at - tokenStart >= MIN_TOKEN_LENGTH && mayBeSecret(bytes, tokenStart, at)) return false;
    tokenStart = at + 1;
    if (kind === BASE64_SIGN) continue;
    if (at - base64Start >= MIN_MEDIA_LENGTH) return false;
    base64Start = at + 1;
    if (kind <= QUOTE) {
      // Without a branch, which processors could not predict.
      const isQuote = kind & 1;
      isInString ^= isQuote;
      opened *= 1 - isQuote;
    } else if (kind === COLON) {
      colons = isHexadecimal(bytes, lastColon + 1, at) ? colons + 1 : 1;
      if (colons >= MIN_IPV6_COLONS || bytes[at - 1] === 0x3a || followsPhoneName(bytes, at)) return false;
      lastColon = at;
    } else if (kind === OPENING) {
      if (isInString === 1) opened += 1;
      else depth += 1;
      if (depth + opened > MAX_OPEN) return false;
    } else if (kind === CLOSING) depth -= 1 - isInString;
    else if (kind === BACKSLASH) {
      at = endOfEscape(bytes, at);
      if (at < 0) return false;
      tokenStart = at + 1;
      base64Start = at + 1;
    } else if (kind === AT_SIGN || isMarked(bytes, at)) return false;
  }
  return length - base64Start < MIN_MEDIA_LENGTH && !mayBeSecret(bytes, tokenStart, length);
}

/** `Q~`, `;base64,`, `sig=` and `signature=`. */
function isMarked(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] === 0x7e) return bytes[at - 1] === 0x51;
  if (bytes[at] === 0x3b) return hasWord(bytes, at + 1, 'base64');
  return hasWord(bytes, at - 3, 'sig') || hasWord(bytes, at - 9, 'signature');
}

/** Most tokens have the start of no format: they need not be decoded. */
function mayBeSecret(bytes: Buffer, from: number, to: number): boolean {
  const start = Math.max(0, from - TOKEN_LEAD);
  let last = 0;
  for (let at = start; at < to; at += 1) {
    const next = (bytes[at] as number) & 0x7f;
    if (startsFormat[(last << 7) | next] === 1) return formats.test(bytes.toString('latin1', start, to));
    last = next;
  }
  return false;
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
