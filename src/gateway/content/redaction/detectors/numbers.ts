import { isSeparator } from '../text-traits.ts';

/** Digits in a row. */
export interface DigitGroup {
  readonly start: number;
  readonly end: number;
  readonly digits: string;
  /** What stands between it and the group before it; empty for the first. */
  readonly separator: string;
}

/** Groups of digits with at most separators between them, and the character before the first. */
export interface NumberToken {
  readonly groups: readonly DigitGroup[];
  readonly before: string;
  /** The character after the last group. */
  readonly after: string;
  /** Number of digits. */
  readonly length: number;
}

const MAX_SEPARATORS = 3;
/** Of a longer token only the groups at its start are one token; the rest is the next. */
const MAX_GROUPS = 64;

/** The numbers of a text with so many digits at least. Each digit is read once. */
export function* numbersIn(text: string, minDigits: number): Generator<NumberToken> {
  for (const token of tokensIn(text)) if (token.length >= minDigits) yield token;
}

function* tokensIn(text: string): Generator<NumberToken> {
  const digits = /\d+/g;
  let groups: DigitGroup[] = [];
  let end = -1;
  for (const { 0: found, index } of text.matchAll(digits)) {
    const joined = groups.length > 0 && groups.length < MAX_GROUPS && isGap(text, end, index);
    if (!joined && groups.length > 0) {
      yield tokenOf(text, groups);
      groups = [];
    }
    const separator = joined ? text.slice(end, index) : '';
    end = index + found.length;
    groups.push({ start: index, end, digits: found, separator });
  }
  if (groups.length > 0) yield tokenOf(text, groups);
}

function isGap(text: string, from: number, to: number): boolean {
  if (to - from > MAX_SEPARATORS) return false;
  for (let at = from; at < to; at += 1) if (!isSeparator(text.charCodeAt(at))) return false;
  return true;
}

function tokenOf(text: string, groups: readonly DigitGroup[]): NumberToken {
  const [first] = groups;
  const last = groups.at(-1);
  return {
    groups,
    before: first === undefined ? '' : text.charAt(first.start - 1),
    after: last === undefined ? '' : text.charAt(last.end),
    length: groups.reduce((sum, { digits }) => sum + digits.length, 0),
  };
}
