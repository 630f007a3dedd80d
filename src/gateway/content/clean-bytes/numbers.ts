import { ibanCountries } from '../redaction/detectors/iban.ts';
import { hasWord, isDigit, isLetter, pairOf, PAIRS } from './byte-kinds.ts';

/** Fewer are neither a telephone number nor a card. */
const MIN_DIGITS = 7;
/** So many are a card, in one piece. */
const MIN_CARD_DIGITS = 13;
/** Three separators of three bytes each. */
const MAX_GAP = 9;
/** Characters after the country and the check digits of the shortest IBAN. */
const MIN_IBAN_REST = 11;
/** Characters before a number that hold its label. */
const LABEL_CHARACTERS = 24;
/** So many bytes before a number hold them: each may be an escape in two strings. */
const LABEL_BYTES = 96;
const labels = ['tel', 'phone', 'mobile', 'cell', 'fax', 'whatsapp', 'sms', 'handy'] as const;
/** By the first two letters of each, in lower case. */
const startsLabel = new Uint8Array(PAIRS);
for (const label of labels) startsLabel[pairOf(label.charCodeAt(0), label.charCodeAt(1))] = 1;

/** Follows the groups of digits of a text. */
export class NumberScan {
  #tokenStart = 0;
  #end = -1;
  #digits = 0;
  #groups = 0;
  #dots = 0;

  /** Whether a group of digits may belong to a telephone number, card, IBAN or IPv4 address. */
  isFound(bytes: Buffer, from: number, to: number): boolean {
    this.#dots = bytes[from - 1] === 0x2e && this.#end === from - 1 ? this.#dots + 1 : 0;
    const isJoined = this.#end >= 0 && isGap(bytes, this.#end, from);
    this.#end = to;
    if (!isJoined) {
      this.#tokenStart = from;
      this.#digits = 0;
      this.#groups = 0;
    }
    this.#digits += to - from;
    this.#groups += 1;
    if (this.#dots === 3 || (to - from >= 2 && mayBeIban(bytes, from))) return true;
    return this.#digits >= MIN_DIGITS && !this.#isHarmless(bytes, to);
  }

  /** A number in one piece, as identifiers are, or a date; without what makes it a telephone number. */
  #isHarmless(bytes: Buffer, to: number): boolean {
    const start = this.#tokenStart;
    const before = bytes[start - 1];
    if (before === 0x2b || before === 0x28) return false;
    const isIdentifier = this.#groups === 1 && this.#digits < MIN_CARD_DIGITS && bytes[start] !== 0x30;
    const isDate = this.#groups === 3 && to - start === 10 && bytes[start + 4] === 0x2d && bytes[start + 7] === 0x2d;
    if (!isIdentifier && !isDate) return false;
    return !hasLabel(bytes, labelStart(bytes, start), start);
  }
}

/** Backslashes, and bytes within a character, are none of the characters: so more are looked at than may hold a label. */
function labelStart(bytes: Uint8Array, number: number): number {
  const limit = Math.max(0, number - LABEL_BYTES);
  let at = number;
  for (let characters = 0; at > limit && characters < LABEL_CHARACTERS;) {
    at -= 1;
    const byte = bytes[at] as number;
    if (byte !== 0x5c && (byte & 0xc0) !== 0x80) characters += 1;
  }
  return at;
}

/** Whether a label is in these bytes, which are not decoded: most numbers have none. */
function hasLabel(bytes: Uint8Array, from: number, to: number): boolean {
  let last = 0;
  for (let at = from; at < to; at += 1) {
    const next = ((bytes[at] as number) & 0x7f) | 0x20;
    if (startsLabel[(last << 7) | next] === 1 && labels.some((label) => hasWord(bytes, at - 1, label))) return true;
    last = next;
  }
  return false;
}

/** Separators of ASCII, and any other characters: no-break spaces and hyphens are some of them. */
function isGap(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from > MAX_GAP) return false;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    const isSeparator = byte === 0x20 || byte === 0x28 || byte === 0x29 || (byte >= 0x2d && byte <= 0x2f);
    if (!isSeparator && byte < 0x80) return false;
  }
  return true;
}

function mayBeIban(bytes: Uint8Array, from: number): boolean {
  let at = from - 1;
  if (bytes[at] === 0x20) at -= 1;
  else if (bytes[at] === 0xa0) at -= 2;
  if (!isLetter(bytes[at]) || !isLetter(bytes[at - 1])) return false;
  const country = String.fromCharCode((bytes[at - 1] ?? 0) & 0x5f, (bytes[at] ?? 0) & 0x5f);
  if (!ibanCountries.has(country)) return false;
  let rest = 0;
  for (let next = from + 2; rest < MIN_IBAN_REST; next += 1) {
    const byte = bytes[next];
    if (isLetter(byte) || isDigit(byte)) rest += 1;
    else if (byte !== 0x20 && byte !== 0x2d && (byte ?? 0) < 0x80) return false;
  }
  return true;
}
