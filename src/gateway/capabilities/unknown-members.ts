import {
  COMMA,
  memberName,
  nextToken,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  stringEnd,
  valueEnd,
} from '../../providers/shared/json/json-bytes.ts';
import { fault, within, type Fault } from '../../protocols/canonical/validation/fault.ts';
import { foldCase } from './fold-case.ts';
import type { ObjectNames } from './object-names.ts';

/** No search for the objects at providers that a request names goes deeper. */
const MAX_DEPTH = 32;
const [BACKSLASH, NON_ASCII] = [0x5c, 0x80];
/** More names of one object are compared as texts. */
const MAX_COMPARED = 16;

/**
 * Checks a value that no protocol defines: two parsers must find the same objects at a provider in it. No member may be there
 * twice, and none that names an object in other letters than the provider defines.
 * @param isNamed whether the member that contains it names an object: its `id` is one then
 * @returns the offset behind the value
 */
export function checkUnknownValue(
  json: Buffer,
  start: number,
  names: ObjectNames,
  isNamed = false,
  depth = 0,
): number | Fault {
  const first = json[start];
  if (depth > MAX_DEPTH || (first !== OPEN_BRACE && first !== OPEN_BRACKET)) return valueEnd(json, start);
  const place = { names, isNamed, depth };
  return first === OPEN_BRACE ? checkObject(json, start, place) : checkItems(json, start, place);
}

interface Place {
  readonly names: ObjectNames;
  readonly isNamed: boolean;
  readonly depth: number;
}

function checkItems(json: Buffer, start: number, { names, isNamed, depth }: Place): number | Fault {
  let at = start;
  for (let index = 0; ; index++) {
    const end = checkUnknownValue(json, nextToken(json, at + 1), names, isNamed, depth + 1);
    if (typeof end !== 'number') return within(index, end);
    at = nextToken(json, end);
    if (json[at] !== COMMA) return at + 1;
  }
}

function checkObject(json: Buffer, start: number, { names, isNamed, depth }: Place): number | Fault {
  const seen = new SeenNames(json);
  let at = nextToken(json, start + 1);
  while (json[at] === QUOTE) {
    const end = stringEnd(json, at);
    const isPlain = isPlainName(json, at + 1, end - 1);
    if (seen.add(at, end, isPlain)) return within(memberName(json, at, end), fault('duplicate_parameter'));
    let isNaming = false;
    if (!isPlain || names.mayMean(json, at + 1, end - 1) || (isNamed && end - at === 4)) {
      const name = memberName(json, at, end);
      const meant =
        names.otherSpelling(name) ?? (isNamed && name !== 'id' && foldCase(name) === 'id' ? 'id' : undefined);
      if (meant !== undefined) return within(name, fault('misspelled_parameter', { meant }));
      isNaming = names.isNaming(name);
    }
    const value = nextToken(json, nextToken(json, end) + 1);
    const isFree = isPlain ? names.isFree(json, at + 1, end - 1) : names.free.has(memberName(json, at, end));
    const behind = isFree ? valueEnd(json, value) : checkUnknownValue(json, value, names, isNaming, depth + 1);
    if (typeof behind !== 'number') return within(memberName(json, at, end), behind);
    at = nextToken(json, behind);
    if (json[at] !== COMMA) break;
    at = nextToken(json, at + 1);
  }
  return at + 1;
}

function isPlainName(json: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = json[at] ?? 0;
    if (byte === BACKSLASH || byte >= NON_ASCII) return false;
  }
  return true;
}

/** The names of one object: as bytes where there are few and none has an escape, which costs less. */
class SeenNames {
  readonly #json: Buffer;
  /** Starts and ends in turn, with the quotes. */
  readonly #bounds: number[] = [];
  #texts: Set<string> | null = null;

  constructor(json: Buffer) {
    this.#json = json;
  }

  /** @returns whether the name was there before */
  add(start: number, end: number, isPlain: boolean): boolean {
    if (this.#texts === null && isPlain && this.#bounds.length < 2 * MAX_COMPARED) {
      for (let at = 0; at < this.#bounds.length; at += 2)
        if (this.#isEqual(this.#bounds[at] ?? 0, this.#bounds[at + 1] ?? 0, start, end)) return true;
      this.#bounds.push(start, end);
      return false;
    }
    this.#texts ??= this.#asTexts();
    const name = memberName(this.#json, start, end);
    if (this.#texts.has(name)) return true;
    this.#texts.add(name);
    return false;
  }

  #isEqual(start: number, end: number, otherStart: number, otherEnd: number): boolean {
    if (end - start !== otherEnd - otherStart) return false;
    for (let at = 0; at < end - start; at++) if (this.#json[start + at] !== this.#json[otherStart + at]) return false;
    return true;
  }

  #asTexts(): Set<string> {
    const texts = new Set<string>();
    for (let at = 0; at < this.#bounds.length; at += 2)
      texts.add(memberName(this.#json, this.#bounds[at] ?? 0, this.#bounds[at + 1] ?? 0));
    return texts;
  }
}
