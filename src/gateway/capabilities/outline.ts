/** Shorter bodies cost less to parse completely. */
const MIN_BODY_BYTES = 16 * 1024;
/** Longer texts are truncated. More than any length limit of a member. */
const MIN_TEXT_BYTES = 8 * 1024;
/** Characters, of up to six bytes each. */
const RETAINED_CHARACTERS = 1024;
/** Each quote costs a search: a body with many is parsed completely. One more is allowed per so many bytes. */
const MIN_QUOTES = 128;
const BYTES_A_QUOTE = 1024;

const [QUOTE, BACKSLASH, COLON, SPACE, LETTER_U] = [0x22, 0x5c, 0x3a, 0x20, 0x75];
/** Marks a continuation byte of UTF-8. */
const [MARK, FURTHER_BYTE] = [0xc0, 0x80];

/** Members whose text is only forwarded, and those whose text counts as tokens. */
const textNames: readonly string[] = ['content', 'text', 'url'];
const readNames: readonly string[] = ['content', 'text'];

/**
 * A request with truncated texts: enough to validate it, route it and reserve its cost, independently of its length.
 */
export interface Outline {
  /** The parsed body, with only the beginning of texts in `content`, `text` and `url`. */
  readonly value: unknown;
  /** Bytes removed from `content` and `text`, as written, with escapes. */
  readonly cutBytes: number;
}

/**
 * Parses a long JSON body without its long texts: a prompt that is only forwarded need not be decoded. The removed text
 * is not checked against JSON's rules for strings; a provider that gets the raw body reads it itself.
 * @returns null where the body is to be parsed completely: short, without long texts, or not JSON
 */
export function outlineOf(body: Buffer): Outline | null {
  if (body.length < MIN_BODY_BYTES) return null;
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
  const pieces: Buffer[] = [];
  let [from, opened, quotes, cutBytes] = [0, -1, 0, 0];
  for (let quote = body.indexOf(QUOTE); quote >= 0; quote = body.indexOf(QUOTE, quote + 1)) {
    if (++quotes > MIN_QUOTES + quote / BYTES_A_QUOTE) return null;
    if (opened < 0) opened = quote;
    else if (!isEscaped(body, quote)) {
      const name = quote - opened > MIN_TEXT_BYTES ? nameBefore(body, opened) : '';
      if (textNames.includes(name)) {
        const cutAt = cutAfter(body, opened + 1);
        pieces.push(body.subarray(from, cutAt));
        if (readNames.includes(name)) cutBytes += quote - cutAt;
        from = quote;
      }
      opened = -1;
    }
  }
  return pieces.length === 0 ? null : { text: Buffer.concat([...pieces, body.subarray(from)]).toString(), cutBytes };
}

function isEscaped(body: Buffer, at: number): boolean {
  let backslashes = 0;
  while (body[at - 1 - backslashes] === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

/** The name of the member whose value starts at `start`; empty for none. */
function nameBefore(body: Buffer, start: number): string {
  const colon = lastToken(body, start - 1);
  if (body[colon] !== COLON) return '';
  const end = lastToken(body, colon - 1);
  return body.toString('latin1', body.lastIndexOf(QUOTE, end - 1) + 1, end);
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
