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
import type { FormInput, RequestInput } from '../request-input.ts';
import { fault, toError, within, type Fault } from '../../protocols/canonical/validation/fault.ts';
import { foldCase } from './fold-case.ts';
import type { KnownMembers } from './known-members.ts';
import type { ObjectNames } from './object-names.ts';
import { checkUnknownValue } from './unknown-members.ts';

const BYTE_ORDER_MARK = 0xef;
const BYTE_ORDER_MARK_BYTES = 3;

/** Number of objects so far; each gets its own number. */
let objects = 0;

/**
 * Rejects input that two parsers may read as different requests: JSON.parse uses the last of duplicate members, others
 * the first, and Go's `encoding/json` reads `Model` as `model`. One pass over the bytes; strings are skipped, and
 * members that the protocol leaves free are not checked, except for those that name objects at a provider.
 * @param input JSON that JSON.parse accepts, or a form, in which a duplicate text field is already a list
 * @throws SluiceError duplicate_parameter | misspelled_parameter, with the member's path
 */
export function assertMemberNames(input: RequestInput, known: KnownMembers): void {
  const found = Buffer.isBuffer(input) ? checkJson(input, known) : checkFields(input, known);
  if (found !== undefined) throw toError(found);
}

function checkJson(json: Buffer, known: KnownMembers): Fault | undefined {
  const start = nextToken(json, json[0] === BYTE_ORDER_MARK ? BYTE_ORDER_MARK_BYTES : 0);
  return json[start] === OPEN_BRACE ? new NameCheck(json, start, known.objectNames).object(known) : undefined;
}

function checkFields({ fields }: FormInput, known: KnownMembers): Fault | undefined {
  const others = new Map<string, string>();
  for (const name of Object.keys(fields)) {
    const found = known.like(foldCase(name))?.name === name ? undefined : otherMember(name, known, null, others);
    if (found !== undefined) return found;
  }
  return undefined;
}

class NameCheck {
  readonly #json: Buffer;
  readonly #objectNames: ObjectNames | null;
  /** The next position to read. */
  #at: number;

  constructor(json: Buffer, at: number, objectNames: ObjectNames | null) {
    this.#json = json;
    this.#objectNames = objectNames;
    this.#at = at;
  }

  object(known: KnownMembers): Fault | undefined {
    const json = this.#json;
    const object = ++objects;
    let others: Map<string, string> | null = null;
    let at = nextToken(json, this.#at + 1);
    while (json[at] === QUOTE) {
      const end = stringEnd(json, at);
      const member = known.at(json, at + 1, end - 1);
      if (member === null) {
        others ??= new Map();
        const found = otherMember(memberName(json, at, end), known, this.#objectNames, others);
        if (found !== undefined) return found;
      } else if (member.seenIn === object) return within(member.name, fault('duplicate_parameter'));
      else member.seenIn = object;
      const start = at;
      this.#at = nextToken(json, nextToken(json, end) + 1);
      const found = member?.members ? this.#value(member.members) : this.#unknown(member?.name ?? null, start, end);
      if (found !== undefined) return within(member?.name ?? memberName(json, start, end), found);
      at = nextToken(json, this.#at);
      if (json[at] !== COMMA) break;
      at = nextToken(json, at + 1);
    }
    this.#at = at + 1;
    return undefined;
  }

  /**
   * A value whose members the protocol does not define.
   * @param known the name of its member; null where that is not known: it is between `start` and `end`
   */
  #unknown(known: string | null, start: number, end: number): Fault | undefined {
    const first = this.#json[this.#at];
    const names = first === OPEN_BRACE || first === OPEN_BRACKET ? this.#objectNames : null;
    if (names !== null) {
      const name = known ?? memberName(this.#json, start, end);
      if (!names.free.has(name)) return this.#checkUnknown(names, names.isNaming(name));
    }
    this.#at = valueEnd(this.#json, this.#at);
    return undefined;
  }

  #checkUnknown(names: ObjectNames, isNamed: boolean): Fault | undefined {
    const found = checkUnknownValue(this.#json, this.#at, names, isNamed);
    if (typeof found !== 'number') return found;
    this.#at = found;
    return undefined;
  }

  /** An object, or the objects of an array. Deeper nesting is not defined by any protocol. */
  #value(known: KnownMembers): Fault | undefined {
    const json = this.#json;
    if (json[this.#at] === OPEN_BRACE) return this.object(known);
    if (json[this.#at] !== OPEN_BRACKET) {
      this.#at = valueEnd(json, this.#at);
      return undefined;
    }
    let at = this.#at;
    for (let index = 0; ; index++) {
      at = nextToken(json, at + 1);
      if (json[at] === OPEN_BRACE) {
        this.#at = at;
        const found = this.object(known);
        if (found !== undefined) return within(index, found);
        at = this.#at;
      } else if (json[at] === OPEN_BRACKET && this.#objectNames !== null) {
        this.#at = at;
        const found = this.#checkUnknown(this.#objectNames, false);
        if (found !== undefined) return within(index, found);
        at = this.#at;
      } else at = valueEnd(json, at);
      at = nextToken(json, at);
      if (json[at] !== COMMA) break;
    }
    this.#at = at + 1;
    return undefined;
  }
}

/** A member that is not known in this spelling. */
function otherMember(
  name: string,
  known: KnownMembers,
  objectNames: ObjectNames | null,
  others: Map<string, string>,
): Fault | undefined {
  const folded = foldCase(name);
  const before = others.get(folded);
  const meant = known.like(folded)?.name ?? before ?? objectNames?.otherSpelling(name, folded);
  others.set(folded, name);
  if (meant === undefined) return undefined;
  return within(name, before === name ? fault('duplicate_parameter') : fault('misspelled_parameter', { meant }));
}
