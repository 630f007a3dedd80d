import { isUtf8 } from 'node:buffer';
import { longStringsIn } from '../../providers/shared/json/strings/long-strings.ts';

/** Shorter bodies cost less to parse completely. */
const MIN_BODY_BYTES = 8 * 1024;
/** Longer texts are truncated. */
const MIN_TEXT_BYTES = 2 * 1024;
/** Characters, of up to six bytes each. More than any length limit of a member. */
const RETAINED_CHARACTERS = 1024;

const [QUOTE, BACKSLASH, COLON, SPACE, LETTER_U] = [0x22, 0x5c, 0x3a, 0x20, 0x75];
/** Marks a continuation byte of UTF-8. */
const [MARK, FURTHER_BYTE] = [0xc0, 0x80];

/** Members whose text is only forwarded, and counts as tokens. */
const textNames: readonly string[] = ['content', 'text', 'arguments'];
/** The same where it is data, which counts as an image. Any other URL is checked, and its host may be at its end. */
const URL_NAME = 'url';
const DATA_SCHEME = Buffer.from('data:');

/**
 * A request with truncated texts: enough to validate it, route it and reserve its cost, independently of its length.
 */
export interface Outline {
  /** The parsed body, with only the beginning of texts in `content`, `text` and `arguments`, and of data URLs in `url`. */
  readonly value: unknown;
  /** Bytes removed from texts, as written, with escapes. */
  readonly cutBytes: number;
}

/**
 * Parses a long JSON body without its long texts: a prompt that is only forwarded need not be decoded. The removed text is
 * validated as JSON.parse does; the rest is what JSON.parse gets.
 * @returns null where the body is to be parsed completely: short, without long texts, or invalid
 */
export function outlineOf(body: Buffer): Outline | null {
  if (body.length < MIN_BODY_BYTES || !isUtf8(body)) return null;
  const cut = withoutLongTexts(body);
  if (cut === null) return null;
  const { text, cutBytes } = cut;
  try {
    return { value: JSON.parse(text), cutBytes };
  } catch {
    return null;
  }
}

function withoutLongTexts(body: Buffer): { readonly text: string; readonly cutBytes: number } | null {
  const strings = longStringsIn(body);
  if (strings === null) return null;
  const pieces: Buffer[] = [];
  let [from, cutBytes] = [0, 0];
  for (let index = 0; index < strings.length; index += 2) {
    const [start, end] = [strings[index] ?? 0, strings[index + 1] ?? 0];
    if (end - start <= MIN_TEXT_BYTES) continue;
    const name = nameBefore(body, start);
    const isText = textNames.includes(name);
    if (!isText && !(name === URL_NAME && startsWith(body, start + 1, DATA_SCHEME))) continue;
    const cutAt = cutAfter(body, start + 1);
    const quote = end - 1;
    if (cutAt >= quote) continue;
    pieces.push(body.subarray(from, cutAt));
    if (isText) cutBytes += quote - cutAt;
    from = quote;
  }
  return pieces.length === 0 ? null : { text: Buffer.concat([...pieces, body.subarray(from)]).toString(), cutBytes };
}

function startsWith(body: Buffer, start: number, text: Buffer): boolean {
  return text.compare(body, start, start + text.length) === 0;
}

/** The name of the member whose value starts at `start`; empty for none, and for one with quotes in it. */
function nameBefore(body: Buffer, start: number): string {
  const colon = lastToken(body, start - 1);
  if (body[colon] !== COLON) return '';
  const end = lastToken(body, colon - 1);
  const quote = body.lastIndexOf(QUOTE, end - 1);
  return body[quote - 1] === BACKSLASH ? '' : body.toString('latin1', quote + 1, end);
}

function lastToken(body: Buffer, from: number): number {
  let at = from;
  while (at > 0 && (body[at] ?? 0) <= SPACE) at--;
  return at;
}

/** Where a text can be truncated: between two characters, not inside an escape. */
function cutAfter(body: Buffer, start: number): number {
  let at = start;
  for (let count = 0; count < RETAINED_CHARACTERS; count++) {
    at += body[at] !== BACKSLASH ? 1 : body[at + 1] === LETTER_U ? 6 : 2;
    while (((body[at] ?? 0) & MARK) === FURTHER_BYTE) at++;
  }
  return at;
}
