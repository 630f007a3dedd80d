import { anyCharacter, classEscape, complement, propertyEscape, union, type CharacterSet } from './character-set.ts';

/** The parts of a regular expression that are needed to generate text. */
export type PatternNode =
  | { readonly kind: 'character'; readonly set: CharacterSet }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly node: PatternNode; readonly min: number; readonly max: number };

const MAX_LENGTH = 2_000;
const MAX_DEPTH = 40;
const CONTROL: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, '0': 0 };
const EMPTY: PatternNode = { kind: 'sequence', parts: [] };

/** `null` where the pattern is too long, too deep, malformed, or uses back-references. Look-around is ignored. */
export function parsePattern(pattern: string): PatternNode | null {
  if (pattern.length > MAX_LENGTH) return null;
  const parser = new PatternParser(pattern);
  try {
    return parser.parse();
  } catch (error) {
    if (error instanceof UnreadablePattern) return null;
    throw error;
  }
}

class UnreadablePattern extends Error {}

class PatternParser {
  readonly #chars: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(pattern: string) {
    this.#chars = Array.from(pattern);
  }

  parse(): PatternNode {
    const node = this.#choice();
    if (this.#at < this.#chars.length) throw new UnreadablePattern();
    return node;
  }

  #choice(): PatternNode {
    if ((this.#depth += 1) > MAX_DEPTH) throw new UnreadablePattern();
    const options = [this.#sequence()];
    while (this.#consume('|')) options.push(this.#sequence());
    this.#depth -= 1;
    return options.length === 1 && options[0] ? options[0] : { kind: 'choice', options };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    for (let char = this.#peek(); char !== undefined && char !== '|' && char !== ')'; char = this.#peek()) {
      parts.push(this.#quantified(this.#atom()));
    }
    return { kind: 'sequence', parts };
  }

  #atom(): PatternNode {
    const char = this.#next();
    if (char === '^' || char === '$') return EMPTY;
    if (char === '(') return this.#group();
    if (char === '[') return { kind: 'character', set: this.#class() };
    if (char === '.') return { kind: 'character', set: anyCharacter };
    if (char === '\\') return this.#escape();
    if (char === '*' || char === '+' || char === '?') throw new UnreadablePattern();
    return { kind: 'character', set: only(char) };
  }

  #group(): PatternNode {
    let passedOver = false;
    if (this.#consume('?')) {
      const mark = this.#next();
      if (mark === '<' && this.#peek() !== '=' && this.#peek() !== '!') {
        while (this.#next() !== '>');
      } else if (mark === '<') {
        this.#at += 1;
        passedOver = true;
      } else if (mark === '=' || mark === '!') passedOver = true;
      else if (mark !== ':') throw new UnreadablePattern();
    }
    const node = this.#choice();
    if (!this.#consume(')')) throw new UnreadablePattern();
    return passedOver ? EMPTY : node;
  }

  #quantified(node: PatternNode): PatternNode {
    const bounds = this.#quantifier();
    if (!bounds) return node;
    this.#consume('?');
    return { kind: 'repeat', node, min: bounds[0], max: bounds[1] };
  }

  #quantifier(): readonly [number, number] | null {
    if (this.#consume('*')) return [0, Infinity];
    if (this.#consume('+')) return [1, Infinity];
    if (this.#consume('?')) return [0, 1];
    if (this.#peek() !== '{') return null;
    const close = this.#chars.indexOf('}', this.#at);
    const inside = /^(\d+)(,(\d*))?$/.exec(this.#chars.slice(this.#at + 1, close).join(''));
    if (close < 0 || !inside) return null;
    this.#at = close + 1;
    const min = Number(inside[1]);
    if (inside[2] === undefined) return [min, min];
    return [min, inside[3] ? Number(inside[3]) : Infinity];
  }

  #escape(): PatternNode {
    const char = this.#peek();
    if (char === 'b' || char === 'B') {
      this.#at += 1;
      return EMPTY;
    }
    if (char === 'k' || (char !== undefined && /[1-9]/.test(char))) throw new UnreadablePattern();
    return { kind: 'character', set: this.#escapedSet() };
  }

  #escapedSet(): CharacterSet {
    const char = this.#next();
    const named = classEscape(char);
    if (named) return named;
    if (char === 'p' || char === 'P') {
      if (!this.#consume('{')) throw new UnreadablePattern();
      const set = propertyEscape(this.#until('}'));
      return char === 'p' ? set : complement(set);
    }
    if (char === 'x') return only(this.#hexadecimal(2));
    if (char === 'u') {
      if (!this.#consume('{')) return only(this.#hexadecimal(4));
      return only(codePoint(this.#until('}')));
    }
    if (char === 'c')
      return [[(this.#next().codePointAt(0) ?? 0) % 32, (this.#chars[this.#at - 1]?.codePointAt(0) ?? 0) % 32]];
    const control = Object.hasOwn(CONTROL, char) ? CONTROL[char] : undefined;
    return control === undefined ? only(char) : [[control, control]];
  }

  #class(): CharacterSet {
    const negated = this.#consume('^');
    const members: CharacterSet[] = [];
    while (!this.#consume(']')) {
      const low = this.#classMember();
      const isRange = this.#peek() === '-' && this.#chars[this.#at + 1] !== ']';
      if (!isRange) {
        members.push(low);
        continue;
      }
      this.#at += 1;
      const high = this.#classMember();
      const [first] = low;
      const last = high.at(-1);
      if (!first || !last || first[0] > last[1]) throw new UnreadablePattern();
      members.push([[first[0], last[1]]]);
    }
    return negated ? complement(union(members)) : union(members);
  }

  #classMember(): CharacterSet {
    const char = this.#next();
    if (char !== '\\') return only(char);
    if (this.#consume('b')) return [[8, 8]];
    return this.#escapedSet();
  }

  #hexadecimal(digits: number): string {
    const text = this.#chars.slice(this.#at, this.#at + digits).join('');
    this.#at += digits;
    return codePoint(text);
  }

  #until(end: string): string {
    const close = this.#chars.indexOf(end, this.#at);
    if (close < 0) throw new UnreadablePattern();
    const text = this.#chars.slice(this.#at, close).join('');
    this.#at = close + 1;
    return text;
  }

  #peek(): string | undefined {
    return this.#chars[this.#at];
  }

  #next(): string {
    const char = this.#chars[this.#at];
    if (char === undefined) throw new UnreadablePattern();
    this.#at += 1;
    return char;
  }

  #consume(expected: string): boolean {
    if (this.#peek() !== expected) return false;
    this.#at += 1;
    return true;
  }
}

function only(char: string): CharacterSet {
  const code = char.codePointAt(0) ?? 0;
  return [[code, code]];
}

function codePoint(hexadecimal: string): string {
  const code = /^[0-9a-fA-F]+$/.test(hexadecimal) ? Number.parseInt(hexadecimal, 16) : Infinity;
  if (code > 0x10ffff) throw new UnreadablePattern();
  return String.fromCodePoint(code);
}
