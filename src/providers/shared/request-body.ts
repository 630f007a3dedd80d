const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, COMMA, SPACE] = [0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x20];

const BETWEEN = Buffer.from(',');

/** How a name of lower-case letters begins its escapes: `model` as `\u006dodel`. */
const ESCAPED_LETTER = '\\u00';

/** Strings longer than this are searched by native code; below, a loop is faster than the call. */
const SHORT_STRING = 48;
/** Two searches of a buffer cost more than to make a short text of it. */
const SHORT_BODY = 4096;

/**
 * Writes `value`, a JSON text, over a member that the object has, in the body itself where it fits: white space fills what is
 * left over. A long prompt is not copied for a short name. Every member of that name is written over: a provider may take
 * another one of them than we did. `name` is of lower-case letters.
 * @param namedOnce whether it is known that there is only one
 */
export function overwriteMember(json: Buffer, name: string, value: Buffer, namedOnce = false): Buffer {
  const quoted = `"${name}"`;
  if (json.length <= SHORT_BODY && overwriteText(json, quoted, value)) return json;
  let fits = true;
  eachMember(json, (found, start, end) => {
    if (found !== name) return true;
    fits = end - start >= value.length;
    if (fits) json.fill(SPACE, start + value.copy(json, start), end);
    // Without the name further on, in letters or escapes, there is no second member of it: the prompt behind need not be walked.
    return fits && !namedOnce && mayNameAgain(json, end, quoted);
  });
  return fits ? json : withMembers(json, { [name]: value.toString() });
}

/**
 * Overwrites a text that is named once in all of the body: then that is the member, wherever it stands.
 * @returns false where it takes a walk to know
 */
function overwriteText(json: Buffer, quoted: string, value: Buffer): boolean {
  const text = json.toString('latin1');
  const named = text.indexOf(quoted);
  const behind = named + quoted.length;
  if (named < 0 || text.includes(quoted, behind) || text.includes(ESCAPED_LETTER)) return false;
  const start = nextToken(json, nextToken(json, behind) + 1);
  if (json[start] !== QUOTE) return false;
  const end = stringEnd(json, start);
  if (end - start < value.length) return false;
  json.fill(SPACE, start + value.copy(json, start), end);
  return true;
}

function mayNameAgain(json: Buffer, from: number, quoted: string): boolean {
  if (json.length - from > SHORT_BODY) return json.includes(quoted, from) || json.includes(ESCAPED_LETTER, from);
  const rest = json.toString('latin1', from);
  return rest.includes(quoted) || rest.includes(ESCAPED_LETTER);
}

/**
 * Replaces, adds or removes members of a JSON object without parsing the rest: prompts are long, and the provider shall get
 * each value as the caller wrote it. `json` must hold an object that JSON.parse accepts; `members` are JSON texts, null for
 * what is left out.
 */
export function withMembers(json: Buffer, members: Readonly<Record<string, string | null>>): Buffer {
  const pieces: Buffer[] = [];
  const added = new Map(Object.entries(members));
  eachMember(json, (name, start, end, memberStart) => {
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

/** Calls back with each member of the outermost object and the bounds of its value, while it returns true. */
function eachMember(
  json: Buffer,
  visit: (name: string, start: number, end: number, memberStart: number) => boolean,
): void {
  for (let at = nextToken(json, json.indexOf(OPEN_BRACE) + 1); json[at] === QUOTE;) {
    const nameEnd = stringEnd(json, at);
    const name = memberName(json, at, nameEnd);
    const start = nextToken(json, nextToken(json, nameEnd) + 1);
    const end = valueEnd(json, start);
    if (!visit(name, start, end, at)) return;
    at = nextToken(json, end);
    if (json[at] !== COMMA) break;
    at = nextToken(json, at + 1);
  }
}

function memberName(json: Buffer, start: number, end: number): string {
  const raw = json.toString('utf8', start + 1, end - 1);
  return raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw;
}

/** The offset of the next byte that is no white space. */
function nextToken(json: Buffer, from: number): number {
  let at = from;
  while (at < json.length && (json[at] ?? 0) <= SPACE) at++;
  return at;
}

/** The offset behind the closing quote of the string that opens at `start`. */
function stringEnd(json: Buffer, start: number): number {
  let at = start + 1;
  for (const near = at + SHORT_STRING; at < near; at++) {
    const byte = json[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
    if (byte === undefined) return json.length;
  }
  // `at` is not inside an escape here: an escape of two bytes was stepped over whole.
  for (let quote = json.indexOf(QUOTE, at); quote >= 0; quote = json.indexOf(QUOTE, quote + 1)) {
    let backslashes = 0;
    while (quote - 1 - backslashes >= at && json[quote - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return json.length;
}

/** The offset behind the value that starts at `start`. */
function valueEnd(json: Buffer, start: number): number {
  const first = json[start];
  if (first === QUOTE) return stringEnd(json, start);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return literalEnd(json, start);
  let depth = 0;
  for (let at = start; at < json.length;) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = stringEnd(json, at);
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return at + 1;
    at++;
  }
  return json.length;
}

function literalEnd(json: Buffer, start: number): number {
  let at = start;
  while (at < json.length) {
    const byte = json[at] ?? 0;
    if (byte === COMMA || byte === CLOSE_BRACE || byte <= SPACE) break;
    at++;
  }
  return at;
}
