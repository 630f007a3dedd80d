import {
  array,
  constantFrom,
  double,
  integer,
  jsonValue,
  oneof,
  sample,
  string,
  tuple,
  type Arbitrary,
} from 'fast-check';
import type { Template } from './templates.ts';

/** `SLUICE_TEST_SEED` draws other bodies. */
export const SEED = 20_261_126 + Number(process.env.SLUICE_TEST_SEED ?? 0);

/** What is seldom in its place. */
export const odd: Arbitrary<unknown> = oneof(
  constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    2 ** 53,
    -1e308,
    '',
    '\u0000',
    '\ud800',
    'auto',
    [],
    {},
    [[]],
    [null],
    [{}],
  ),
  constantFrom<unknown>(
    { type: 'text' },
    { type: 'nothing' },
    { type: '__proto__' },
    { constructor: { prototype: {} } },
    [{ type: 'text', text: 1 }],
    'https://[',
    'data:image/png;base64,!',
    'x'.repeat(300),
    '__proto__',
    'constructor',
    'toString',
  ),
  jsonValue({ maxDepth: 3 }),
  string(),
  double(),
  integer({ min: 30, max: 600 }).map(nested),
);

/** Deep enough to end a recursion that has no bound. */
function nested(depth: number): unknown {
  let value: unknown = 'x';
  for (let at = 0; at < depth; at++)
    value = at % 2 === 0 ? [value] : { [depth % 2 === 0 ? 'parts' : 'content']: value };
  return value;
}

type Change = readonly [at: number, value: unknown, kind: 'replace' | 'remove' | 'double'];

/** Paths of all members of a value, its own included. */
function pathsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...path, name]))];
}

function changed(template: Template, changes: readonly Change[]): unknown {
  let root: unknown = structuredClone(template);
  for (const [at, given, kind] of changes) {
    // A copy: constants are shared, and a value within itself has no JSON.
    const value = structuredClone(given);
    const paths = pathsOf(root);
    const path = paths[at % paths.length] ?? [];
    const name = path.at(-1);
    if (name === undefined) {
      // The whole body is seldom replaced: it would only be refused for having no model.
      if (at % 7 === 0) root = value;
      continue;
    }
    let parent: unknown = root;
    for (const step of path.slice(0, -1)) parent = Reflect.get(Object(parent), step);
    if (typeof parent !== 'object' || parent === null) continue;
    if (Array.isArray(parent)) {
      if (kind === 'remove') parent.splice(Number(name), 1);
      else if (kind === 'double') parent.push(structuredClone(parent[Number(name)]));
      else parent[Number(name)] = value;
    } else if (kind === 'remove') Reflect.deleteProperty(parent, name);
    else Reflect.defineProperty(parent, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return root;
}

/** Numbers and texts that only JSON as text can state. */
const rawValues = constantFrom(
  '1e999',
  '-1e999',
  '-0',
  '1E-400',
  '123456789012345678901234567890',
  '0.1e1',
  String.raw`"\ud83d"`,
  String.raw`"\udc00\ud83d"`,
  String.raw`"\u0000"`,
  '"\u202e\ufeff\u2028e\u0301"',
  '"👩‍👩‍👧‍👦"',
  '{"__proto__":{"stream":true}}',
  '{"a":1,"a":2}',
  'NaN',
  "'a'",
);
const openings = constantFrom('[', '{"a":', '[{"content":', '{"parts":[');

type Damage = (text: string, at: number, raw: string) => string;

/** A place of the text that matches, by any number. */
function placeOf(text: string, form: RegExp, at: number): RegExpExecArray | null {
  const places = [...text.matchAll(form)];
  return places[at % places.length] ?? null;
}

/** What is wrong with JSON as text, or can only be stated so. */
const damages: readonly Damage[] = [
  (text, at) => text.slice(0, at % (text.length + 1)),
  (text, _at, raw) => text + raw,
  (text) => `\ufeff${text}`,
  (text) => `[${text}]`,
  // A member twice, with another value.
  (text, at, raw) => {
    const member = placeOf(text, /"\w+":/g, at);
    return member === null ? raw : `${text.slice(0, member.index)}${member[0]}${raw},${text.slice(member.index)}`;
  },
  // A member in another spelling.
  (text, at) => {
    const member = placeOf(text, /"(\w+)":/g, at);
    if (member === null) return '';
    const name = member[1] ?? '';
    const other = at % 2 === 0 ? name.toUpperCase() : `\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
    return `${text.slice(0, member.index)}"${other}":${text.slice(member.index + member[0].length)}`;
  },
  // Another value.
  (text, at, raw) => {
    const value = placeOf(text, /(?<=:)("(?:[^"\\]|\\.)*"|[\d.]+|true|false|null)/g, at);
    if (value === null) return raw;
    return `${text.slice(0, value.index)}${raw}${text.slice(value.index + value[0].length)}`;
  },
];

const damage = tuple(constantFrom(...damages), integer({ min: 0, max: 10_000 }), rawValues);
const notUtf8 = Buffer.from([0xff, 0xc0, 0xaf]);

function withBytes(text: string, at: number): Buffer {
  const place = at % (text.length + 1);
  return Buffer.concat([Buffer.from(text.slice(0, place)), notUtf8, Buffer.from(text.slice(place))]);
}

/** Bodies of a route, most of them wrong; the same each time. @param templates each of which is changed */
export function malformedBodies(templates: readonly Template[], count: number): (string | Buffer)[] {
  const kinds = constantFrom<Change[2]>('replace', 'replace', 'replace', 'remove', 'double');
  const changes = array(tuple(integer({ min: 0, max: 10_000 }), odd, kinds), { maxLength: 4 });
  const texts = tuple(constantFrom(...templates), changes).map(
    ([template, all]) => JSON.stringify(changed(template, all)) ?? '',
  );
  const bodies = oneof(
    { weight: 40, arbitrary: texts },
    { weight: 10, arbitrary: tuple(texts, damage).map(([text, [apply, at, raw]]) => apply(text, at, raw)) },
    { weight: 1, arbitrary: tuple(texts, integer({ min: 0, max: 10_000 })).map(([text, at]) => withBytes(text, at)) },
    { weight: 1, arbitrary: odd.map((value) => JSON.stringify(value) ?? '') },
    { weight: 1, arbitrary: string() },
    {
      weight: 1,
      arbitrary: tuple(openings, integer({ min: 1, max: 5_000 })).map(([opening, depth]) => opening.repeat(depth)),
    },
  );
  return sample(bodies, { numRuns: count, seed: SEED });
}
