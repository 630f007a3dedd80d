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
import { foldCase, type KnownMembers } from './known-members.ts';

const BYTE_ORDER_MARK = 0xef;
const BYTE_ORDER_MARK_BYTES = 3;

/** Number of objects so far; each gets its own number. */
let objects = 0;

/**
 * Rejects input that two parsers may read as different requests: JSON.parse uses the last of duplicate members, others
 * the first, and Go's `encoding/json` reads `Model` as `model`. One pass over the bytes; strings are skipped, and
 * members that the protocol leaves free are not checked.
 * @param input JSON that JSON.parse accepts, or a form, in which a duplicate text field is already a list
 * @throws SluiceError duplicate_parameter | misspelled_parameter, with the member's path
 */
export function assertMemberNames(input: RequestInput, known: KnownMembers): void {
  const found = Buffer.isBuffer(input) ? checkJson(input, known) : checkFields(input, known);
  if (found !== undefined) throw toError(found);
}

function checkJson(json: Buffer, known: KnownMembers): Fault | undefined {
  const start = nextToken(json, json[0] === BYTE_ORDER_MARK ? BYTE_ORDER_MARK_BYTES : 0);
  return json[start] === OPEN_BRACE ? new NameCheck(json, start).object(known) : undefined;
}

function checkFields({ fields }: FormInput, known: KnownMembers): Fault | undefined {
  const others = new Map<string, string>();
  for (const name of Object.keys(fields)) {
    const found = known.like(foldCase(name))?.name === name ? undefined : otherMember(name, known, others);
    if (found !== undefined) return found;
  }
  return undefined;
}

class NameCheck {
  readonly #json: Buffer;
  /** The next position to read. */
  #at: number;

  constructor(json: Buffer, at: number) {
    this.#json = json;
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
        const found = otherMember(memberName(json, at, end), known, others);
        if (found !== undefined) return found;
      } else if (member.seenIn === object) return within(member.name, fault('duplicate_parameter'));
      else member.seenIn = object;
      at = nextToken(json, nextToken(json, end) + 1);
      if (member === null || member.members === null) at = valueEnd(json, at);
      else {
        this.#at = at;
        const found = this.#value(member.members);
        if (found !== undefined) return within(member.name, found);
        at = this.#at;
      }
      at = nextToken(json, at);
      if (json[at] !== COMMA) break;
      at = nextToken(json, at + 1);
    }
    this.#at = at + 1;
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
      } else at = valueEnd(json, at);
      at = nextToken(json, at);
      if (json[at] !== COMMA) break;
    }
    this.#at = at + 1;
    return undefined;
  }
}

/** A member that is not known in this spelling. */
function otherMember(name: string, known: KnownMembers, others: Map<string, string>): Fault | undefined {
  const folded = foldCase(name);
  const before = others.get(folded);
  const meant = known.like(folded)?.name ?? before;
  others.set(folded, name);
  if (meant === undefined) return undefined;
  return within(name, before === name ? fault('duplicate_parameter') : fault('misspelled_parameter', { meant }));
}
