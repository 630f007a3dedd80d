import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hasMember,
  mapItems,
  overwriteMember,
  setMember,
  splicedMembers,
  withMembers,
} from '../../../../src/providers/shared/http/request-body.ts';

const spacing = fc.constantFrom('', ' ', '\n', '\t ', '\r\n');
const otherMembers = fc.dictionary(
  fc
    .string({ unit: 'grapheme' })
    .filter((name) => name !== 'model' && name !== 'stream_options' && name !== '__proto__'),
  fc.jsonValue({ maxDepth: 3 }),
  { maxKeys: 6 },
);

/** JSON texts of objects with a model, with random white space, the model at any position. */
const bodies = fc
  .record({ model: fc.string({ minLength: 1 }), before: otherMembers, after: otherMembers, space: spacing })
  .map(({ model, before, after, space }) => {
    const members = [
      ...Object.entries(before),
      ['model', model] as const,
      ...Object.entries(after).filter(([name]) => !Object.hasOwn(before, name)),
    ];
    const text = members
      .map(([name, value]) => `${space}${JSON.stringify(name)}${space}:${space}${JSON.stringify(value)}${space}`)
      .join(',');
    return `${space}{${text}}${space}`;
  });

describe('editing a body without parsing it', () => {
  it('gives the same as parsing, changing and serializing', () => {
    fc.assert(
      fc.property(bodies, fc.string(), (body, model) => {
        const edited = withMembers(Buffer.from(body), {
          model: JSON.stringify(model),
          stream_options: '{"include_usage":true}',
        });
        expect(JSON.parse(edited.toString())).toEqual({
          ...JSON.parse(body),
          model,
          stream_options: { include_usage: true },
        });
      }),
      { numRuns: 500 },
    );
  });

  it('removes members set to null at any position', () => {
    fc.assert(
      fc.property(bodies, fc.nat(), (body, pick) => {
        const names = Object.keys(JSON.parse(body)).filter((name) => name !== 'model');
        const name = names[pick % Math.max(1, names.length)] ?? 'absent';
        const { [name]: _gone, ...rest } = JSON.parse(body);
        const edited = withMembers(Buffer.from(body), { [name]: null, model: '"real"' });
        expect(JSON.parse(edited.toString())).toEqual({ ...rest, model: 'real' });
      }),
      { numRuns: 500 },
    );
  });

  it('changes any of its members', () => {
    const changes = fc.dictionary(
      fc.string({ unit: 'grapheme' }).filter((name) => name !== '__proto__'),
      fc.option(fc.jsonValue({ maxDepth: 1 })),
      { maxKeys: 3 },
    );
    fc.assert(
      fc.property(bodies, changes, fc.array(fc.tuple(fc.nat(), fc.boolean())), (body, further, picks) => {
        const before: Record<string, unknown> = JSON.parse(body);
        const names = Object.keys(before);
        const picked = picks.map(([pick, isRemoved]) => [names[pick % names.length] ?? '', isRemoved ? null : 'new']);
        const changed: Record<string, unknown> = { ...further, ...Object.fromEntries(picked) };
        const texts = Object.entries(changed).map(([name, value]) => [
          name,
          value === null ? null : JSON.stringify(value),
        ]);
        const kept = Object.entries({ ...before, ...changed }).filter(([name]) => changed[name] !== null);
        expect(JSON.parse(withMembers(Buffer.from(body), Object.fromEntries(texts)).toString())).toEqual(
          Object.fromEntries(kept),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the bytes of members that stay, without a copy', () => {
    const json = Buffer.from(' { "a" : 1.0 ,\n"model":"m", "b":[ 1 ], "c":"\\u0041", "d":{ } , "e":0 } ');
    const pieces = splicedMembers(json, { model: '"n"', d: null, f: '2', g: '3' });
    expect(pieces.map(String)).toEqual([
      '{ "a" : 1.0 ,\n"model":',
      '"n"',
      ',',
      '"b":[ 1 ], "c":"\\u0041"',
      ',',
      '"e":0',
      ',"f":2,"g":3}',
    ]);
    json.fill('-');
    expect(pieces.map(String).filter((text) => /^-+$/.test(text))).toHaveLength(3);
  });

  it('overwrites in place or reallocates, with the same result', () => {
    fc.assert(
      fc.property(bodies, fc.string(), (body, model) => {
        const edited = overwriteMember(Buffer.from(body), 'model', JSON.stringify(model));
        expect(JSON.parse(edited.toString())).toEqual({ ...JSON.parse(body), model });
      }),
      { numRuns: 500 },
    );
  });

  it('does not copy a long prompt for a shorter name', () => {
    const body = Buffer.from(
      JSON.stringify({ model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content: 'x'.repeat(100_000) }] }),
    );
    expect(overwriteMember(body, 'model', '"gpt-4.1-mini"')).toBe(body);
  });

  it.each([
    ['a member of an inner object', '{"x":{"model":"inner"},"model":"a"}', { model: 'new', x: { model: 'inner' } }],
    ['a name written with escapes', '{"mod\\u0065l":"a"}', { model: 'new' }],
    [
      'quotes and backslashes in long texts',
      `{"t":"${'\\"'.repeat(60)}\\\\","model":"a"}`,
      { t: `${'"'.repeat(60)}\\`, model: 'new' },
    ],
    [
      'a text that reads like a member',
      '{"t":"\\"model\\":\\"x\\"","model":"abcdefgh"}',
      { t: '"model":"x"', model: 'new' },
    ],
  ])('treats %s like JSON.parse', (_name, body, expected) => {
    expect(JSON.parse(withMembers(Buffer.from(body), { model: '"new"' }).toString())).toEqual(expected);
    expect(JSON.parse(overwriteMember(Buffer.from(body), 'model', '"new"').toString())).toEqual(expected);
  });
});

describe('one member of a body', () => {
  it.each([
    ['{ "a": 1 }\n', '{ "a": 1 ,"c":{"d":2}}\n'],
    ['{"c" : null, "a": 1.0}', '{"c" : {"d":2}, "a": 1.0}'],
    [' { } ', ' { "c":{"d":2}} '],
    ['{"a":{"c":1}}', '{"a":{"c":1},"c":{"d":2}}'],
  ])('is set in %j, whose rest stays as it is', (body, expected) => {
    expect(setMember(Buffer.from(body), 'c', '{"d":2}').toString()).toBe(expected);
  });

  it('has items that are replaced and removed', () => {
    const body = Buffer.from('{"a":[ {"x": 1.0} , 2,"three" ],"b":[4]}');
    const mapped = (names: readonly (string | null)[]) =>
      mapItems(body, 'a', (item, index) => {
        const name = names[index];
        if (name === null) return null;
        return name === undefined ? item : Buffer.from(name);
      }).toString();
    expect(mapItems(body, 'a', (item) => item)).toBe(body);
    expect(mapped([null])).toBe('{"a":[2,"three"],"b":[4]}');
    expect(mapped(['{"x": 1.0}', '7'])).toBe('{"a":[{"x": 1.0},7,"three"],"b":[4]}');
    expect(mapped([null, null, null])).toBe('{"a":[],"b":[4]}');
    expect(mapItems(body, 'c', () => null)).toBe(body);
  });
});

describe('whether a body has a member', () => {
  it('is what parsing it says, for any object', () => {
    fc.assert(
      fc.property(bodies, fc.constantFrom('model', 'messages', 'stream_options'), (text, name) => {
        const parsed: object = JSON.parse(text);
        expect(hasMember(Buffer.from(text), name)).toBe(Object.hasOwn(parsed, name));
      }),
    );
  });

  it.each([
    ['{"a":{"messages":1},"b":"\\"messages\\""}', false],
    ['{"a":[1,{"messages":1}],"messages":[]}', true],
    ['{}', false],
    ['', false],
    ['{"a', false],
    ['{"\\x":1,"messages":1}', true],
  ])('%s: %j', (text, expected) => {
    expect(hasMember(Buffer.from(text), 'messages')).toBe(expected);
  });

  it.each(['"messages"', '[{"messages":1}]', 'null', '{"\\', '{"a":'])('does not throw for %s', (text) => {
    expect(hasMember(Buffer.from(text), 'messages')).toEqual(expect.any(Boolean));
  });
});
