/**
 * The longest token of the sandbox, in bytes of UTF-8. English has about 4 bytes per token, like with the tokenizers of
 * real models.
 */
const MAX_TOKEN_BYTES = 6;
/** Text beyond this many UTF-16 units is counted by its bytes, so that a huge prompt costs no time. */
const EXACT_COUNT_UNITS = 65_536;
const BYTES_PER_TOKEN = 4;

/** Splits a text into tokens: a space begins a new one, and no code point is split. Joined they are the text. */
export function splitTokens(text: string): string[] {
  const tokens: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = tokenEnd(text, start);
    tokens.push(text.slice(start, end));
    start = end;
  }
  return tokens;
}

/**
 * The number of tokens of a text: exact up to 65,536 UTF-16 units or the specified maximum, the rest at 4 bytes per
 * token.
 */
export function countTokens(text: string, exactUnits = EXACT_COUNT_UNITS): number {
  let count = 0;
  let at = 0;
  const exactEnd = Math.min(text.length, exactUnits, EXACT_COUNT_UNITS);
  while (at < exactEnd) {
    at = tokenEnd(text, at);
    count += 1;
  }
  return at < text.length ? count + Math.ceil(Buffer.byteLength(text.slice(at)) / BYTES_PER_TOKEN) : count;
}

function tokenEnd(text: string, start: number): number {
  let bytes = 0;
  let inWord = false;
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    const space = code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
    const pair = isHighSurrogate(code) && at + 1 < text.length && isLowSurrogate(text.charCodeAt(at + 1));
    const width = pair ? 4 : utf8Width(code);
    if (at > start && ((space && inWord) || bytes + width > MAX_TOKEN_BYTES)) break;
    inWord ||= !space;
    bytes += width;
    at += pair ? 2 : 1;
  }
  return at;
}

function utf8Width(code: number): number {
  if (code < 0x80) return 1;
  return code < 0x800 ? 2 : 3;
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
