import { HAS_NUMBER } from '../text-traits.ts';
import type { Detector } from './detector.ts';
import { numbersIn, type DigitGroup, type NumberToken } from './numbers.ts';

/** ITU-T E.164, section 6.1. */
const MAX_DIGITS = 15;
const MIN_DIGITS = 7;
const CONTEXT_LENGTH = 24;

const label =
  /(?:tele?(?:phone|fon)?|phone|mobile|cell|fax|whatsapp|sms|handy)(?:\W{1,2}n(?:o|r|umber))?["'.]{0,2}\s?[:=]?\s?["'(+]{0,3}$/i;

/**
 * Telephone numbers: international ones after `+` or `00`, those of North America in groups of 3, 3 and 4, and those of
 * other countries with a leading 0 in groups. Digits in one piece count only after a word such as `phone:`, because
 * they are usually identifiers.
 */
export const phone: Detector = {
  name: 'phone',
  traits: HAS_NUMBER,
  find(text, report) {
    for (const token of numbersIn(text, MIN_DIGITS)) findIn(text, token, report);
  },
};

function findIn(text: string, { groups }: NumberToken, report: (start: number, end: number) => void): void {
  let next = 0;
  for (let first = 0; first < groups.length; first += 1) {
    const group = groups[first] as DigitGroup;
    // Groups inside of another number, such as an IBAN, begin none.
    const isStart = first === next || group.separator.length > 1;
    const last = lastGroupOfPhone(text, groups, { first, isStart });
    if (last === -1) continue;
    report(startOf(text, group), (groups[last] as DigitGroup).end);
    first = last;
    next = last + 1;
  }
}

/** With the `+` and the opening bracket before it. */
function startOf(text: string, { start }: DigitGroup): number {
  let at = start;
  while (at > start - 2 && /[+(]/.test(text.charAt(at - 1))) at -= 1;
  return at;
}

/** @returns the index of the last group of a telephone number that begins with this group, -1 if none does */
function lastGroupOfPhone(
  text: string,
  groups: readonly DigitGroup[],
  { first, isStart }: { readonly first: number; readonly isStart: boolean },
): number {
  const { start, digits } = groups[first] as DigitGroup;
  const before = text.charAt(start - 1);
  if (before === '+' || text.slice(start - 2, start) === '+(') return longest(groups, first, 8, MAX_DIGITS);
  if (!isStart || (first === 0 && /[\w.,]/.test(before))) return -1;
  if (/^00[1-9]/.test(digits) || (digits === '00' && first + 1 < groups.length)) {
    const last = longest(groups, first, 10, MAX_DIGITS + 2);
    if (last > first || digits.length >= 12) return last;
  }
  const american = americanNumber(groups, first);
  if (american !== -1) return american;
  if (/^0[1-9]/.test(digits) && !isDate(groups, first)) {
    const last = longest(groups, first, 9, 12);
    if (last > first) return last;
  }
  const last = longest(groups, first, MIN_DIGITS, MAX_DIGITS);
  return last !== -1 && label.test(text.slice(Math.max(0, start - CONTEXT_LENGTH), start)) ? last : -1;
}

/** @returns the last group with which the digits are at most so many, -1 if they are too few */
function longest(groups: readonly DigitGroup[], first: number, min: number, max: number): number {
  let total = 0;
  let last = -1;
  const separatesByDots = groups[first + 1]?.separator === '.';
  for (let at = first; at < groups.length; at += 1) {
    total += (groups[at] as DigitGroup).digits.length;
    // A number with dots, such as an address, is not the end of one without.
    if (total > max || (at > first && groups[at + 1]?.separator === '.' && !separatesByDots)) break;
    if (total >= min) last = at;
  }
  return last;
}

/** `(555) 234-5678`, `555-234-5678`, `1.555.234.5678`: the codes do not begin with 0 or 1 (nanpa.com). */
function americanNumber(groups: readonly DigitGroup[], first: number): number {
  const area = (groups[first] as DigitGroup).digits === '1' ? first + 1 : first;
  const [one, two, three] = groups.slice(area, area + 3);
  if (one === undefined || two === undefined || three === undefined) return -1;
  const isNumber = /^[2-9]\d\d$/.test(one.digits) && /^[2-9]\d\d$/.test(two.digits) && /^\d{4}$/.test(three.digits);
  return isNumber ? area + 2 : -1;
}

/** `01.02.2026`, `01-02-26`, `01/02/2026`. */
function isDate(groups: readonly DigitGroup[], first: number): boolean {
  const [day, month, year] = groups.slice(first, first + 3);
  if (day === undefined || month === undefined || year === undefined) return false;
  const isDay = day.digits.length === 2 && month.digits.length <= 2 && /^(?:\d\d|(?:19|20)\d\d)$/.test(year.digits);
  return isDay && month.separator === year.separator && groups[first + 3]?.separator !== month.separator;
}
