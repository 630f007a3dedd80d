import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasString, longStringsIn } from '../../../../../src/providers/shared/json/strings/long-strings.ts';
import { valueEnd } from '../../../../../src/providers/shared/json/json-bytes.ts';
import { memberValue, overwriteMember } from '../../../../../src/providers/shared/http/request-body.ts';

const texts = fc
  .array(fc.constantFrom('"audio"', 'prompt ', '\\', '"', '水門', '\n'), { maxLength: 40 })
  .chain((parts) => fc.integer({ min: 1, max: 400 }).map((times) => parts.join('').repeat(times)));
const documents = fc
  .array(fc.oneof(texts, fc.constant('audio'), fc.record({ audio: texts })), { maxLength: 6 })
  .map((items) => ({ model: 'm'.repeat(100), filler: 'x'.repeat(9_000), items }));

describe('a text whose long strings are known', () => {
  it('is read like one whose strings are not', () => {
    let found = 0;
    fc.assert(
      fc.property(documents, fc.constantFrom(undefined, 1), (value, space) => {
        const text = JSON.stringify(value, null, space);
        const [json, scanned] = [Buffer.from(text), Buffer.from(text)];
        expect(longStringsIn(scanned)).not.toBeNull();
        expect(valueEnd(scanned, 0)).toBe(json.length);
        expect(memberValue(scanned, 'items')).toEqual(memberValue(json, 'items'));
        const hasAudio = value.items.some((item) => item === 'audio' || typeof item === 'object');
        if (hasAudio) found++;
        if (hasAudio || !json.includes('"audio"')) expect(hasString(scanned, '"audio"'), text).toBe(hasAudio);
      }),
      { numRuns: 300 },
    );
    expect(found).toBeGreaterThan(30);
  });

  it('has no string that only a long one ends with', () => {
    const json = Buffer.from(JSON.stringify({ text: `${'x'.repeat(9_000)}"audio` }));
    expect(hasString(json, '"audio"')).toBe(true);
    longStringsIn(json);
    expect(hasString(json, '"audio"')).toBe(false);
  });

  it('is read anew after a long string is overwritten', () => {
    const json = Buffer.from(JSON.stringify({ model: 'm'.repeat(100), filler: 'x'.repeat(9_000) }));
    longStringsIn(json);
    expect(overwriteMember(json, 'model', '"short"')).toBe(json);
    expect(memberValue(json, 'model')?.toString()).toBe('"short"');
    expect(JSON.parse(json.toString())).toEqual({ model: 'short', filler: 'x'.repeat(9_000) });
  });
});
