/** Bodies from here on are looked at: below, parsing costs less. */
const LONG_BODY = 16 * 1024;
/** A text from here on is cut short, to what an outline keeps of it: more than any bound that a text is held to. */
const LONG_TEXT = 8 * 1024;
/** Characters, of up to six bytes each. */
const KEPT = 1024;
/** Each quote takes a search: a body of many is parsed instead. One more is allowed for so many bytes. */
const FEW_QUOTES = 128;
const BYTES_A_QUOTE = 1024;

const [QUOTE, BACKSLASH, COLON, SPACE, LETTER_U] = [0x22, 0x5c, 0x3a, 0x20, 0x75];
/** What marks a further byte of a character in UTF-8. */
const [MARK, FURTHER_BYTE] = [0xc0, 0x80];

/** Members whose text is only passed on, and what is read as text. */
const textNames: readonly string[] = ['content', 'text', 'url'];
const readNames: readonly string[] = ['content', 'text'];

/** A request whose long texts are cut short: what it takes to check it, route it and hold money for it, at no cost for its length. */
export interface Outline {
  /** The body, parsed; of the texts in `content`, `text` and `url` only the beginning. */
  readonly value: unknown;
  /** What `content` and `text` lack of it, as it was written: with its escapes. */
  readonly cutBytes: number;
}

/**
 * Parses a long JSON body without its long texts: a prompt that is only passed on need not be decoded. What is cut out is
 * not held to JSON's rules for strings; a provider that gets the body as it came reads it itself.
 * @returns null where it is to be parsed whole: a short body, one without long texts, or none of JSON
 */
export function outlineOf(body: Buffer): Outline | null {
  if (body.length < LONG_BODY) return null;
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
    if (++quotes > FEW_QUOTES + quote / BYTES_A_QUOTE) return null;
    if (opened < 0) opened = quote;
    else if (!isEscaped(body, quote)) {
      const name = quote - opened > LONG_TEXT ? nameBefore(body, opened) : '';
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

/** The name of the member whose value starts at `start`; empty for what is none. */
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

/** Where a text can be cut: between two characters, not inside an escape. */
function cutAfter(body: Buffer, start: number): number {
  let at = start;
  for (let kept = 0; kept < KEPT; kept++) {
    at += body[at] !== BACKSLASH ? 1 : body[at + 1] === LETTER_U ? 6 : 2;
    while (((body[at] ?? 0) & MARK) === FURTHER_BYTE) at++;
  }
  return at;
}
