import { COMMA, memberName, nextToken, OPEN_BRACE, QUOTE, stringEnd, valueEnd } from '../json/json-bytes.ts';

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
  const pieces: Buffer[] = [];
  const added = new Map(Object.entries(members));
  eachMember(json, (start, end, memberStart, nameEnd) => {
    const name = memberName(json, memberStart, nameEnd);
    const replacement = Object.hasOwn(members, name) ? members[name] : undefined;
    added.delete(name);
    if (replacement === null) return true;
    if (pieces.length > 0) pieces.push(BETWEEN);
    if (replacement === undefined) pieces.push(json.subarray(memberStart, end));
    else pieces.push(json.subarray(memberStart, start), Buffer.from(replacement));
    return true;
  });
  for (const [name, value] of added)
    if (value !== null) pieces.push(Buffer.from(`${pieces.length > 0 ? ',' : ''}${JSON.stringify(name)}:${value}`));
  return Buffer.concat([Buffer.from('{'), ...pieces, Buffer.from('}')]);
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
