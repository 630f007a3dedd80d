import { isUtf8 } from 'node:buffer';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toSluiceError } from '../../../../src/errors/index.ts';
import { chatMembers } from '../../../../src/gateway/capabilities/chat/members.ts';
import { requireParseable } from '../../../../src/gateway/capabilities/json-body.ts';
import { assertMemberNames } from '../../../../src/gateway/capabilities/member-names.ts';
import { outlineOf } from '../../../../src/gateway/capabilities/outline.ts';

const word = fc.constantFrom('water ', 'gate\n', 'über ', '水門', '😀', '\u0001', '\\', '\t', 'model ', '\ud83d');
const longText = fc
  .tuple(fc.array(word, { minLength: 20, maxLength: 60 }), fc.integer({ min: 40, max: 300 }))
  .map(([words, times]) => words.join('').repeat(times));
const texts = fc.oneof(longText, fc.string({ unit: 'grapheme', maxLength: 40 }));
const name = fc.constantFrom('content', 'text', 'url', 'name', 'model', 'arguments');
const { value: document } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    texts,
    fc.integer(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
}));
const spacing = fc.constantFrom(undefined, 1, '\t');

/** Whether `cut` is `whole` except for the ends of long texts in members that are only forwarded. */
function isCutOf(cut: unknown, whole: unknown, named = ''): boolean {
  if (typeof whole === 'string' && typeof cut === 'string' && cut !== whole)
    return ['content', 'text', 'arguments', 'url'].includes(named) && cut.length >= 1_024 && whole.startsWith(cut);
  if (Array.isArray(whole) && Array.isArray(cut))
    return whole.length === cut.length && whole.every((each, at) => isCutOf(cut[at], each));
  if (typeof whole !== 'object' || whole === null || typeof cut !== 'object' || cut === null)
    return Object.is(cut, whole);
  const [cuts, wholes] = [Object.entries(cut), Object.entries(whole)];
  return (
    cuts.length === wholes.length &&
    wholes.every(([key, value], at) => cuts[at]?.[0] === key && isCutOf(cuts[at][1], value, key))
  );
}

const request = (content: string, more = ''): Buffer =>
  Buffer.from(`{"model":"m","messages":[{"role":"user","content":${JSON.stringify(content)}}]${more}}`);

function withByte(byte: number): Buffer {
  const body = request('x'.repeat(20_000));
  body[15_000] = byte;
  return body;
}

describe('the outline of a long body', () => {
  it('is the body with long texts truncated, whatever their content', () => {
    let cuts = 0;
    fc.assert(
      fc.property(document, spacing, (value, space) => {
        const outline = outlineOf(Buffer.from(JSON.stringify({ content: 'x'.repeat(17_000), value }, null, space)));
        if (outline === null) return;
        cuts++;
        expect(isCutOf(outline.value, JSON.parse(JSON.stringify({ content: 'x'.repeat(17_000), value })))).toBe(true);
      }),
      { numRuns: 300 },
    );
    expect(cuts).toBeGreaterThan(100);
  });

  it('retains more of a text than any length limit, and a hundredth of a prompt', () => {
    const outline = outlineOf(request('a long prompt. '.repeat(10_000)));
    expect(JSON.stringify(outline?.value).length).toBeGreaterThan(1_024);
    expect(JSON.stringify(outline?.value).length).toBeLessThan(1_500);
  });

  it('counts the bytes of text that it lacks, without images', () => {
    const [text, url] = ['a long prompt. '.repeat(1_000), `data:image/png;base64,${'A'.repeat(9_000)}`];
    const messages = [
      { role: 'system', content: text },
      {
        role: 'user',
        content: [
          { type: 'text', text },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ];
    const body = Buffer.from(JSON.stringify({ model: 'm', messages }));
    expect(outlineOf(body)?.cutBytes).toBe(2 * (text.length - 1_024));
    expect(outlineOf(request('水'.repeat(10_000)))?.cutBytes).toBe(3 * (10_000 - 1_024));
  });

  it('does not truncate text with length limits', () => {
    const body = Buffer.from(JSON.stringify({ content: 'x'.repeat(20_000), metadata: { note: 'y'.repeat(9_000) } }));
    expect(outlineOf(body)?.value).toMatchObject({ metadata: { note: 'y'.repeat(9_000) } });
  });

  it.each([
    ['a short body', request('short')],
    [
      'a body of short texts',
      Buffer.from(JSON.stringify({ list: Array.from({ length: 3_000 }, () => ({ content: 'y' })) })),
    ],
    ['a text whose end is within what is retained', request('\u0001'.repeat(500), `,"user":"${'x'.repeat(9_000)}"`)],
    ['long texts of other members', Buffer.from(JSON.stringify({ user: 'x'.repeat(20_000) }))],
    ['an unclosed text', request('x'.repeat(20_000)).subarray(0, 15_000)],
    ['what is no JSON around it', Buffer.from(`{"model":m,"content":"${'x'.repeat(20_000)}"}`)],
    ['a body of quotes', Buffer.alloc(100_000, '"')],
    ['nothing but backslashes', Buffer.alloc(100_000, '\\')],
    ['a control character in what it lacks', withByte(0x0a)],
    ['invalid UTF-8 in what it lacks', withByte(0xff)],
    ['a wrong escape in what it lacks', Buffer.from(request('x'.repeat(20_000)).toString().replace(/x"/, '\\x"'))],
    ['a byte order mark', Buffer.concat([Buffer.from('\ufeff'), request('x'.repeat(20_000))])],
  ])('is not created for %s', (_what, body) => {
    expect(outlineOf(body)).toBeNull();
  });

  it('truncates no URL but data: the host may be at its end', () => {
    const [web, data] = [`https://${'a'.repeat(9_000)}@host/`, `data:image/png;base64,${'A'.repeat(9_000)}`];
    const outline = outlineOf(Buffer.from(JSON.stringify([{ url: web }, { url: data }])));
    expect(outline?.value).toEqual([{ url: web }, { url: data.slice(0, 1_024) }]);
  });

  it.each([
    ['a text full of quotes', 'he said "no" '.repeat(3_000)],
    ['a text full of backslashes', 'C:\\temp\\new '.repeat(3_000)],
    ['JSON in a text', JSON.stringify([{ path: 'C:\\', text: JSON.stringify({ quoted: '"' }) }]).repeat(1_000)],
  ])('is created for %s', (_what, text) => {
    const outline = outlineOf(request(text));
    expect(outline?.value).toMatchObject({ messages: [{ content: text.slice(0, 1_024) }] });
  });

  it('does not mistake a name with quotes for that of a text', () => {
    const value = { content: 'x'.repeat(9_000), '"text': 'y'.repeat(9_000), 'a\\"text': 'z'.repeat(9_000) };
    const { content: _, ...others } = value;
    expect(outlineOf(Buffer.from(JSON.stringify(value)))?.value).toMatchObject(others);
  });
});

const part = fc.constantFrom('long prompt ', 'é', '水門', '😀', '\\"', '\\\\', '\\n', '\\u00e9', '\\ud83d', '\\/');
const written = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 30 }), fc.integer({ min: 1, max: 200 }))
  .map(([parts, times]) => `"${parts.join('').repeat(times)}"`);
const memberNames = fc.constantFrom(
  'model',
  'messages',
  'content',
  'text',
  'role',
  'url',
  'Model',
  '\\u006dodel',
  'm\\u006fdel',
  'CONTENT',
  '__proto__',
  'arguments',
  'tools',
  'metadata',
  'cont\\u0065nt',
  'file_id',
  'File_Id',
  'x\\"content',
);
const { json } = fc.letrec<{ json: string; object: string }>((tie) => ({
  object: fc
    .array(fc.tuple(memberNames, tie('json')), { maxLength: 5 })
    .map((members) => `{${members.map(([key, value]) => `"${key}" : ${value}`).join(',')}}`),
  json: fc.oneof(
    { depthSize: 'small' },
    written,
    fc.constantFrom('1', '-0.5e+3', 'true', 'null', '""', '[[[[[[[[1]]]]]]]]', '01', '.5', 'NaN', "'x'"),
    tie('object'),
    fc.array(tie('json'), { maxLength: 3 }).map((items) => `[ ${items.join(' ,')}]`),
  ),
}));
const body = fc
  .tuple(written, memberNames, json)
  .map(([text, name, value]) =>
    Buffer.from(
      `{"model":"m","messages":[{"role":"user","content":"${'w'.repeat(8_000)}"},{"content":${text}}],"${name}":${value}}`,
    ),
  );
const foreign = fc.constantFrom(
  ...['"', '\\', '\n', '\0', '{', '}', ']', ',', ':', ' ', 'u', '\ufeff', '\u007f'].map((text) => Buffer.from(text)),
  ...[[0xc0, 0xaf], [0xed, 0xa0, 0x80], [0x80], [0xff], [0xe6, 0xb0]].map((bytes) => Buffer.from(bytes)),
);
/** A position, what is written there, and how many bytes it replaces; null for the end of the body. */
const mutation = fc.option(
  fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.option(foreign), fc.integer({ min: 0, max: 2 })),
  { freq: 1 },
);

function mutated(of: Buffer, change: [number, Buffer | null, number] | null): Buffer {
  if (change === null) return of;
  const [share, bytes, replaced] = change;
  const at = Math.floor(share * of.length);
  return bytes === null ? of.subarray(0, at) : Buffer.concat([of.subarray(0, at), bytes, of.subarray(at + replaced)]);
}

function parsed(of: Buffer): { readonly value: unknown } | null {
  try {
    return isUtf8(of) ? { value: JSON.parse(of.toString()) } : null;
  } catch {
    return null;
  }
}

function refusal(of: Buffer): object | null {
  try {
    assertMemberNames(of, chatMembers);
    return null;
  } catch (error) {
    const { code, param, message } = toSluiceError(error);
    return { code, param, message };
  }
}

describe('a generated body', () => {
  it('has an outline only where JSON.parse accepts it, and the same refusals of its names', () => {
    let [valid, invalid, refused] = [0, 0, 0];
    fc.assert(
      fc.property(body, mutation, (whole, change) => {
        const given = mutated(whole, change);
        const scanned = Buffer.from(given);
        const expected = parsed(given);
        const outline = outlineOf(scanned);
        if (expected === null) {
          invalid++;
          expect(outline, given.toString('latin1')).toBeNull();
          return;
        }
        if (outline !== null) {
          valid++;
          expect(isCutOf(outline.value, expected.value), given.toString('latin1')).toBe(true);
        }
        requireParseable(scanned);
        const names = refusal(given);
        if (names !== null) refused++;
        expect(refusal(scanned)).toEqual(names);
      }),
      { numRuns: 3_000 },
    );
    expect(Math.min(valid, invalid, refused)).toBeGreaterThan(100);
  });
});
