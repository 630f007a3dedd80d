import { commonPasswords } from './common-passwords.ts';
import { commonWords } from './common-words.ts';

/** Digits and symbols around a common word that add no strength: a year, a birthday, `123!`. */
const MAX_AFFIX_LENGTH = 8;
const MIN_RUN_LENGTH = 4;
const MAX_UNIT_LENGTH = 6;
/** Keyboard rows and columns of the layouts that leaks contain most. */
const rows = [
  '`1234567890-=',
  'qwertyuiop[]',
  "asdfghjkl;'",
  'zxcvbnm,./',
  'qwertzuiopü',
  'yxcvbnm',
  'azertyuiop',
  'qsdfghjklm',
  'wxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  'qazwsxedcrfvtgbyhnujmikolp',
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
];
const walks = rows.flatMap((row) => [row, [...row].toReversed().join('')]);

const spelled: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  '9': 'g',
  '@': 'a',
  $: 's',
  '!': 'i',
  '+': 't',
  '|': 'l',
};

/**
 * Whether a password is among those that guessing programs try first. Leaks consist mostly of a few thousand words with common
 * substitutions: the words are listed here and the substitutions are reversed. Works offline.
 */
export function isBreached(password: string): boolean {
  const plain = password.toLowerCase();
  if (isKnown(plain) || isRepeated(plain) || isWalk(plain)) return true;
  const core = plain.replaceAll(/^[^\p{L}@$]+|[^\p{L}]+$/gu, '');
  const around = plain.length - core.length;
  if (
    around > 0 &&
    around <= MAX_AFFIX_LENGTH &&
    (isKnown(core) || isRepeated(core) || (core.length >= MIN_RUN_LENGTH && isWalk(core)))
  )
    return true;
  return core === '' && (isWalk(plain) || isDate(plain));
}

/** A common password or word, also reversed or with letters replaced by digits and symbols. */
function isKnown(text: string): boolean {
  if (text.length < MIN_RUN_LENGTH) return false;
  const word = [...text].map((letter) => spelled[letter] ?? letter).join('');
  const withL = [...text]
    .map((letter) => (letter === '1' || letter === '!' ? 'l' : (spelled[letter] ?? letter)))
    .join('');
  return [text, word, withL, [...text].toReversed().join('')].some(
    (each) => commonPasswords.has(each) || commonWords.has(each) || commonWords.has(each.replaceAll(/[\s._-]/g, '')),
  );
}

/** `aaaaaaaa`, `abcabcabc`, `lovelove`. */
function isRepeated(text: string): boolean {
  const letters = [...text];
  for (let size = 1; size <= Math.min(MAX_UNIT_LENGTH, letters.length / 2); size++)
    if (letters.every((letter, at) => letter === letters[at % size])) return true;
  const half = text.slice(0, text.length / 2);
  return text === half + half && isKnown(half);
}

/** Whether it consists of at most three sequences along the keyboard, the alphabet or the digits. */
function isWalk(text: string): boolean {
  let rest = text;
  for (let runs = 0; runs < 3 && rest !== ''; runs++) {
    const length = longestRun(rest);
    if (length < Math.min(MIN_RUN_LENGTH, rest.length)) return false;
    rest = rest.slice(Math.max(1, length));
  }
  return rest === '';
}

/** The length of the leading sequence or repetition. */
function longestRun(text: string): number {
  let best = [...text].findIndex((letter) => letter !== text[0]);
  if (best === -1) best = text.length;
  for (const walk of walks) {
    let length = best + 1;
    while (length <= text.length && walk.includes(text.slice(0, length))) length++;
    best = Math.max(best, length - 1);
  }
  return best;
}

/** `01011990`, `1990-01-01`. */
function isDate(text: string): boolean {
  const digits = text.replaceAll(/[./ -]/g, '');
  const day = '(?:0[1-9]|[12]\\d|3[01])';
  const month = '(?:0[1-9]|1[0-2])';
  const year = '(?:19|20)\\d\\d';
  return new RegExp(`^(?:${day}${month}${year}|${month}${day}${year}|${year}${month}${day})$`).test(digits);
}
