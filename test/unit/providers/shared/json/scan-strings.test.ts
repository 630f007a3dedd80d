import { isUtf8 } from 'node:buffer';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  scanStringsByByte,
  vectorScan,
  type ScanStrings,
} from '../../../../../src/providers/shared/json/strings/scan-strings.ts';
import { WINDOW_BYTES } from '../../../../../src/providers/shared/json/strings/string-program.ts';

const scans: readonly (readonly [string, ScanStrings])[] = [
  ['vectors', vectorScan()],
  ['bytes', scanStringsByByte],
];

/** What strings are made of, and what they must not have. */
const fragment = fc.constantFrom(
  'a',
  'prompt ',
  'é',
  '水門',
  '😀',
  '"',
  '\\',
  '\\"',
  '\\\\',
  '\\/',
  '\\b',
  '\\f',
  '\\n',
  '\\r',
  '\\t',
  '\\u00e9',
  '\\ud83d',
  '\\uD83D\\uDE00',
  '\\u00',
  '\\u12G4',
  '\\U0041',
  '\\x41',
  '\\0',
  "\\'",
  '\n',
  '\t',
  '\0',
  '\x1f',
  '\x7f',
  '0',
);
const valid = fc.constantFrom(
  'a',
  'long prompt ',
  'é',
  '水門',
  '\\"',
  '\\\\',
  '\\n',
  '\\u00e9',
  '\\uD83D\\uDE00',
  '\\/',
);
const joined = (parts: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> =>
  fc.array(parts, { maxLength }).map((each) => each.join(''));

function isParsed(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

/** Bounds of the strings with more than 64 bytes in a list of strings. */
function boundsOf(strings: readonly string[]): number[] {
  let at = 1;
  return strings.flatMap((text) => {
    const [start, end] = [at, at + Buffer.byteLength(text) + 2];
    at = end + 1;
    return end - start > 64 ? [start, end] : [];
  });
}

describe.each(scans)('the scan of strings by %s', (_name, scan) => {
  it('accepts the strings that JSON.parse accepts, and no others', () => {
    let accepted = 0;
    fc.assert(
      fc.property(joined(valid, 40), joined(fragment, 3), joined(valid, 40), (before, middle, after) => {
        const json = `["${before}${middle}${after}"]`;
        // Quotes end a string: what follows them is not the scan's to validate.
        fc.pre(!/(?<!\\)(?:\\\\)*"/.test(`${before}${middle}${after}`));
        const isValid = isParsed(json);
        if (isValid) accepted++;
        expect(scan(Buffer.from(json)) !== null, json).toBe(isValid);
      }),
      { numRuns: 3_000 },
    );
    expect(accepted).toBeGreaterThan(300);
  });

  it('finds the bounds of each string with more than 64 bytes', () => {
    fc.assert(
      fc.property(fc.array(joined(valid, 60), { maxLength: 30 }), (strings) => {
        expect(scan(Buffer.from(`["${strings.join('","')}"]`))).toEqual(strings.length === 0 ? [] : boundsOf(strings));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['an escape', '\\n', true],
    ['an escaped quote', '\\"', true],
    ['escaped backslashes', '\\\\\\\\', true],
    ['an escaped character', '\\u00e9', true],
    ['a wrong escape', '\\x', false],
    ['a character with too few digits', '\\u00e', false],
    ['a character with a wrong digit', '\\u0g00', false],
    ['a control character', '\x01', false],
  ])('reads %s at every position around the end of a window', (_what, text, isValid) => {
    for (let position = WINDOW_BYTES - 24; position < WINDOW_BYTES + 24; position++) {
      const json = `["${'a'.repeat(position)}${text}z","next"]`;
      expect(scan(Buffer.from(json)), String(position)).toEqual(
        isValid ? [1, position + Buffer.byteLength(text) + 4] : null,
      );
    }
  });

  it('refuses a string without an end', () => {
    const json = Buffer.from(`["${'a\\"b\\\\'.repeat(50)}"]`);
    for (let end = 3; end < json.length - 1; end++) expect(scan(json.subarray(0, end)), String(end)).toBeNull();
  });
});

describe('both scans of strings', () => {
  it('find the same in any bytes', () => {
    const [[, byVectors], [, byBytes]] = scans as [(typeof scans)[0], (typeof scans)[0]];
    const byte = fc.oneof(fc.constantFrom(...Buffer.from('""\\u0aF{}:, \n\t\x01é')), fc.integer({ min: 0, max: 255 }));
    const piece = fc.oneof(
      { weight: 40, arbitrary: valid.map((text) => Buffer.from(text)) },
      { weight: 5, arbitrary: fc.constant(Buffer.from('","')) },
      { weight: 1, arbitrary: byte.map((each) => Buffer.of(each)) },
    );
    let found = 0;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (parts, times) => {
        const repeated = Array.from({ length: times }, () => parts).flat();
        const json = Buffer.concat([Buffer.from('["'), ...repeated, Buffer.from('"]')]);
        const bounds = byVectors(json);
        if (bounds !== null && bounds.length > 0) found++;
        expect(bounds).toEqual(byBytes(json));
        if (isUtf8(json) && isParsed(json.toString())) expect(bounds).not.toBeNull();
      }),
      { numRuns: 3_000 },
    );
    expect(found).toBeGreaterThan(300);
  });
});
