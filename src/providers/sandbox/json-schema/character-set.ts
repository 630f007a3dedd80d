import type { SeededRandom } from '../text/seeded-random.ts';

/** Inclusive ranges of code points, sorted and disjoint. */
export type CharacterSet = readonly (readonly [low: number, high: number])[];

const LAST_CODE_POINT = 0x10ffff;
const READABLE = Array.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789', (char) => point(char));
const PUNCTUATION = Array.from('-_. /:+@#', (char) => point(char));
/** Both without surrogates, which are not characters. */
const ANY: CharacterSet = [
  [0, 0xd7ff],
  [0xe000, LAST_CODE_POINT],
];

const lower: CharacterSet = [[0x61, 0x7a]];
const upper: CharacterSet = [[0x41, 0x5a]];
const digit: CharacterSet = [[0x30, 0x39]];
const letter: CharacterSet = [...upper, ...lower];
const word: CharacterSet = [...digit, ...upper, [0x5f, 0x5f], ...lower];
const space: CharacterSet = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

/** `.`: all but line terminators. */
export const anyCharacter = complement([
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]);

/** The set of `\d`, `\w`, `\s` and their complements; `undefined` for another letter. */
export function classEscape(escape: string): CharacterSet | undefined {
  const set = { d: digit, w: word, s: space }[escape.toLowerCase()];
  return set && escape !== escape.toLowerCase() ? complement(set) : set;
}

/** ASCII characters with a Unicode property: enough to generate text, not the complete property. */
export function propertyEscape(name: string): CharacterSet {
  const value = name.slice(name.indexOf('=') + 1);
  if (/^(Lu|Uppercase)/.test(value)) return upper;
  if (/^(Ll|Lowercase)/.test(value)) return lower;
  if (value.startsWith('N')) return digit;
  if (/^(Z|White_Space|Space)/.test(value)) return [[0x20, 0x20]];
  if (/^(P|Dash)/.test(value)) return [[0x2d, 0x2e]];
  return letter;
}

export function union(sets: readonly CharacterSet[]): CharacterSet {
  const sorted = sets.flat().sort((one, other) => one[0] - other[0]);
  const joined: [number, number][] = [];
  for (const [low, high] of sorted) {
    const last = joined.at(-1);
    if (last && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else joined.push([low, high]);
  }
  return joined;
}

export function complement(set: CharacterSet): CharacterSet {
  const gaps: [number, number][] = [];
  for (const [first, last] of ANY) {
    let from = first;
    for (const [low, high] of union([set])) {
      if (high < from || low > last) continue;
      if (low > from) gaps.push([from, low - 1]);
      from = high + 1;
    }
    if (from <= last) gaps.push([from, last]);
  }
  return gaps;
}

/** A character of the set, a readable one if possible; `undefined` for the empty set. */
export function pickCharacter(set: CharacterSet, random: SeededRandom): string | undefined {
  const found = readableMembers(set);
  const chosen = found[random.below(found.length)];
  if (chosen !== undefined) return String.fromCodePoint(chosen);
  const [range] = set;
  return range && String.fromCodePoint(range[0] + random.below(Math.min(26, range[1] - range[0] + 1)));
}

const readableBySet = new WeakMap<CharacterSet, readonly number[]>();

function readableMembers(set: CharacterSet): readonly number[] {
  const known = readableBySet.get(set);
  if (known) return known;
  const letters = READABLE.filter((candidate) => contains(set, candidate));
  const found = letters.length > 0 ? letters : PUNCTUATION.filter((candidate) => contains(set, candidate));
  readableBySet.set(set, found);
  return found;
}

function contains(set: CharacterSet, candidate: number): boolean {
  return set.some(([low, high]) => candidate >= low && candidate <= high);
}

function point(char: string): number {
  return char.codePointAt(0) ?? 0;
}
