import { globSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJson } from '../../../../src/gateway/content/clean-bytes/is-json.ts';

function parses(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
}

const texts = [
  '{}',
  '[]',
  ' [ 1 , -0.5e+3 , 1E9 , {"a" : null , "b":[true,false] } ] ',
  '"a\\u00e9\\n\\"\\/"',
  '"é😀\u2028"',
  '',
  '01',
  '-',
  '1.',
  '.5',
  '1e',
  '+1',
  'tru',
  'nullx',
  '[1,]',
  '[,1]',
  '[1 2]',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{a:1}',
  '{"a":1]',
  '[1}',
  '[',
  '{"a"',
  '"a',
  '"\\x"',
  '"\\u12g4"',
  '"\\',
  '"\t"',
  '"\0"',
  '1 2',
  '\ufeff{}',
  '\u00a0{}',
];

describe('the check of JSON', () => {
  it.each(texts)('is as strict as the parser about %j', (text) => {
    expect(isJson(Buffer.from(text))).toBe(parses(Buffer.from(text)));
  });

  it('agrees with the parser on generated JSON, with a byte replaced, removed or added', () => {
    const byte = fc.oneof(
      fc.integer({ min: 0, max: 255 }),
      fc.constantFrom(...Buffer.from('"\\{}[],:.-+eE019tfnu /\n')),
    );
    const change = fc.tuple(fc.nat(), fc.constantFrom('replace', 'remove', 'add'), byte);
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(change, { maxLength: 3 }), fc.nat(2), (value, changes, space) => {
        let bytes = Buffer.from(JSON.stringify(value, null, space));
        for (const [place, kind, replacement] of changes) {
          const at = place % (bytes.length + 1);
          const [before, after] = [bytes.subarray(0, at), bytes.subarray(kind === 'add' ? at : at + 1)];
          bytes = Buffer.concat(kind === 'remove' ? [before, after] : [before, Buffer.of(replacement), after]);
        }
        expect(isJson(bytes), bytes.toString()).toBe(parses(bytes));
        const before = Buffer.from('{"response":');
        const document = Buffer.concat([before, bytes, Buffer.from(',"error":null}')]);
        const end = before.length + bytes.length;
        expect(isJson(document, before.length, end), document.toString()).toBe(parses(bytes));
      }),
      { numRuns: 10_000 },
    );
  });

  it('agrees with the parser on recorded bodies, whole and cut short', () => {
    for (const file of globSync('test/fixtures/**/*.json').slice(0, 50)) {
      const bytes = readFileSync(file);
      expect(isJson(bytes), file).toBe(parses(bytes));
      const cut = bytes.subarray(0, bytes.length >> 1);
      expect(isJson(cut), file).toBe(parses(cut));
    }
  });

  it('is false for values that are nested too deeply', () => {
    const nested = (depth: number): Buffer => Buffer.from(`${'['.repeat(depth)}1${']'.repeat(depth)}`);
    expect([isJson(nested(256)), isJson(nested(257))]).toEqual([true, false]);
  });
});
