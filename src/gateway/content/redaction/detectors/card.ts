import { HAS_NUMBER } from '../text-traits.ts';
import type { Detector } from './detector.ts';
import { numbersIn, type DigitGroup, type NumberToken } from './numbers.ts';

const MIN_DIGITS = 13;
const MAX_DIGITS = 19;

/** Issuer prefixes with the lengths of their numbers: https://en.wikipedia.org/wiki/Payment_card_number */
const issuers =
  /^(?:4\d{12}|4\d{15}|4\d{18}|5[0-8]\d{14}|2(?:2[2-9]|[3-6]\d|7[01]|720)\d{12,13}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|35\d{14}|6\d{15,18})$/;

/** Payment cards with a right check digit (ISO/IEC 7812-1), in one piece or in groups. */
export const card: Detector = {
  name: 'card',
  traits: HAS_NUMBER,
  find(text, report) {
    for (const token of numbersIn(text, MIN_DIGITS)) {
      if (/[A-Za-z]/.test(token.before) && token.groups.length === 1 && /[A-Za-z]/.test(token.after)) continue;
      findIn(token, report);
    }
  },
};

function findIn({ groups }: NumberToken, report: (start: number, end: number) => void): void {
  for (let first = 0; first < groups.length; first += 1) {
    const last = lastGroupOfCard(groups, first);
    if (last === -1) continue;
    report((groups[first] as DigitGroup).start, (groups[last] as DigitGroup).end);
    first = last;
  }
}

/** @returns the index of the last group of a card that begins with this group, -1 if none does */
function lastGroupOfCard(groups: readonly DigitGroup[], first: number): number {
  let digits = '';
  let found = -1;
  for (let at = first; at < groups.length; at += 1) {
    const group = groups[at] as DigitGroup;
    if (at > first && group.separator.length > 1) break;
    digits += group.digits;
    if (digits.length > MAX_DIGITS) break;
    if (digits.length >= MIN_DIGITS && issuers.test(digits) && hasRightCheckDigit(digits)) found = at;
    // Groups of cards have four digits or more, but for the last.
    if (group.digits.length < 4) break;
  }
  return found;
}

/** The Luhn algorithm. */
function hasRightCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, doubled = false; at >= 0; at -= 1, doubled = !doubled) {
    const digit = digits.charCodeAt(at) - 0x30;
    sum += doubled ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit;
  }
  return sum % 10 === 0;
}
