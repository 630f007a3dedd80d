import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  memberName,
  nextToken,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  stringEnd,
  valueEnd,
} from '../json/json-bytes.ts';
import { forgetStrings } from '../json/strings/long-strings.ts';
import { LONG_STRING_BYTES } from '../json/strings/string-program.ts';

const SPACE = 0x20;

const BETWEEN = Buffer.from(',');

/**
 * Writes `value`, a JSON text, over a member that the object has, in the body itself where it fits: white space fills the
 * rest. A long prompt is not copied for a short name. Bodies with duplicate members are rejected before.
 */
export function overwriteMember(json: Buffer, name: string, value: string): Buffer {
  const length = Buffer.byteLength(value);
  let isOverwritten = false;
  eachMember(json, (start, end, nameStart, nameEnd) => {
    if (nameEnd - nameStart !== name.length + 2 || json.toString('latin1', nameStart + 1, nameEnd - 1) !== name)
      return true;
    isOverwritten = end - start >= length;
    if (isOverwritten && end - start > LONG_STRING_BYTES) forgetStrings(json);
    if (isOverwritten) json.write(value, start);
    if (end - start > length) json.fill(SPACE, start + length, end);
    return false;
  });
  return isOverwritten ? json : withMembers(json, { [name]: value });
}

/**
 * Replaces, adds or removes members of a JSON object without parsing the rest: prompts are long, and the provider must receive
 * each value as the client wrote it. `json` must be an object that JSON.parse accepts; `members` are JSON texts, null to
 * remove a member.
 */
export function withMembers(json: Buffer, members: Readonly<Record<string, string | null>>): Buffer {
  return Buffer.concat(splicedMembers(json, members));
}

/** The pieces of what `withMembers` returns, to be sent one after another: what stays is part of `json`, and not copied. */
export function splicedMembers(json: Buffer, members: Readonly<Record<string, string | null>>): readonly Buffer[] {
  const pieces: Buffer[] = [];
  const added = new Map(Object.entries(members));
  // The bounds of what stays together and is no piece yet: at first the opening brace.
  let from = json.indexOf(OPEN_BRACE);
  let to = from + 1;
  let isEmpty = true;
  const cut = (): void => {
    if (from < to) pieces.push(json.subarray(from, to));
    from = to;
  };
  eachMember(json, (start, end, memberStart, nameEnd) => {
    const name = memberName(json, memberStart, nameEnd);
    const replacement = Object.hasOwn(members, name) ? members[name] : undefined;
    added.delete(name);
    if (replacement === null) cut();
    else {
      if (from === to) {
        if (!isEmpty) pieces.push(BETWEEN);
        from = memberStart;
      }
      isEmpty = false;
      to = replacement === undefined ? end : start;
      if (replacement !== undefined) {
        cut();
        pieces.push(Buffer.from(replacement));
      }
    }
    return true;
  });
  cut();
  const texts = [...added].flatMap(([name, value]) => (value === null ? [] : `${JSON.stringify(name)}:${value}`));
  pieces.push(Buffer.from(`${isEmpty || texts.length === 0 ? '' : ','}${texts.join(',')}}`));
  return pieces;
}

/** Replaces the value of a member; the rest stays as it was written. @returns the same buffer where there is no such member */
export function replaceMember(json: Buffer, name: string, replace: (value: Buffer) => Buffer): Buffer {
  let replaced = json;
  eachMember(json, (start, end, nameStart, nameEnd) => {
    if (memberName(json, nameStart, nameEnd) !== name) return true;
    const value = json.subarray(start, end);
    const replacement = replace(value);
    if (replacement !== value) replaced = Buffer.concat([json.subarray(0, start), replacement, json.subarray(end)]);
    return false;
  });
  return replaced;
}

/** Replaces the value of a member, or adds it at the end; the rest stays as it was written. `json` must be an object. */
export function setMember(json: Buffer, name: string, value: string): Buffer {
  if (memberValue(json, name) !== null) return replaceMember(json, name, () => Buffer.from(value));
  const end = json.lastIndexOf(CLOSE_BRACE);
  const isEmpty = json[nextToken(json, json.indexOf(OPEN_BRACE) + 1)] === CLOSE_BRACE;
  const added = Buffer.from(`${isEmpty ? '' : ','}${JSON.stringify(name)}:${value}`);
  return Buffer.concat([json.subarray(0, end), added, json.subarray(end)]);
}

/** Whether an object has a member, written without escapes. Of what is no object it may say either, and never throws. */
export function hasMember(json: Buffer, name: string): boolean {
  const quoted = `"${name}"`;
  let isFound = false;
  eachMember(json, (_start, _end, nameStart, nameEnd) => {
    isFound = nameEnd - nameStart === quoted.length && json.toString('latin1', nameStart, nameEnd) === quoted;
    return !isFound;
  });
  return isFound;
}

/** The bytes of a member's value, as the client wrote it; null where the object has no such member. */
export function memberValue(json: Buffer, name: string): Buffer | null {
  let value: Buffer | null = null;
  eachMember(json, (start, end, nameStart, nameEnd) => {
    if (memberName(json, nameStart, nameEnd) !== name) return true;
    value = json.subarray(start, end);
    return false;
  });
  return value;
}

/**
 * Replaces the items of a list that is a member of a JSON object; the rest stays as it was written.
 * @param replace returns the same bytes for an item that it does not change
 * @returns the same buffer where no item is changed, or where the member is no list
 */
export function withItems(json: Buffer, name: string, replace: (item: Buffer) => Buffer): Buffer {
  const pieces: Buffer[] = [];
  let copied = 0;
  eachMember(json, (start, _end, nameStart, nameEnd) => {
    if (memberName(json, nameStart, nameEnd) !== name) return true;
    eachItem(json, start, (itemStart, itemEnd) => {
      const item = json.subarray(itemStart, itemEnd);
      const replacement = replace(item);
      if (replacement === item) return;
      pieces.push(json.subarray(copied, itemStart), replacement);
      copied = itemEnd;
    });
    return false;
  });
  return pieces.length === 0 ? json : Buffer.concat([...pieces, json.subarray(copied)]);
}

/**
 * Replaces and removes items of a list that is a member of a JSON object; items that stay are as they were written.
 * @param map returns the same bytes for an item that it does not change, null for one that it removes
 * @returns the same buffer where no item is changed, or where the member is no list
 */
export function mapItems(json: Buffer, name: string, map: (item: Buffer, index: number) => Buffer | null): Buffer {
  return replaceMember(json, name, (list) => {
    const pieces: Buffer[] = [];
    let isChanged = false;
    let index = 0;
    eachItem(list, 0, (start, end) => {
      const item = list.subarray(start, end);
      const mapped = map(item, index++);
      isChanged ||= mapped !== item;
      if (mapped !== null) pieces.push(pieces.length > 0 ? BETWEEN : Buffer.alloc(0), mapped);
    });
    return isChanged ? Buffer.concat([Buffer.from('['), ...pieces, Buffer.from(']')]) : list;
  });
}

/** Calls back with the bounds of each item of the list at `start`; not at all for another value. */
function eachItem(json: Buffer, start: number, visit: (start: number, end: number) => void): void {
  if (json[start] !== OPEN_BRACKET) return;
  let at = nextToken(json, start + 1);
  while (at < json.length && json[at] !== CLOSE_BRACKET) {
    const end = valueEnd(json, at);
    visit(at, end);
    at = nextToken(json, end);
    if (json[at] === COMMA) at = nextToken(json, at + 1);
  }
}

/** Calls back with the bounds of each member's value and name in the outermost object, while it returns true. */
function eachMember(
  json: Buffer,
  visit: (start: number, end: number, nameStart: number, nameEnd: number) => boolean,
): void {
  for (let at = nextToken(json, json.indexOf(OPEN_BRACE) + 1); json[at] === QUOTE;) {
    const nameEnd = stringEnd(json, at);
    const start = nextToken(json, nextToken(json, nameEnd) + 1);
    const end = valueEnd(json, start);
    if (!visit(start, end, at, nameEnd)) return;
    at = nextToken(json, end);
    if (json[at] !== COMMA) break;
    at = nextToken(json, at + 1);
  }
}
