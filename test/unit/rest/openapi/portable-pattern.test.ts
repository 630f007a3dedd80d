import { describe, expect, it } from 'vitest';
import { portablePattern } from '../../../../src/rest/openapi/portable-pattern.ts';

describe('a pattern in the OpenAPI document', () => {
  it.each([
    [/^[^\0\p{Cs}]*$/u, ['', 'a\nb', '😀'], ['a\0b']],
    [/^[^\p{Cc}\p{Cs}]*$/u, ['', 'ä 😀'], ['a\0', 'a\n', 'a\u0085', '\u007f']],
    [/^\d{1,3}$/, ['1', '123'], ['1234', '٣']],
  ])('matches what %s matches, without flags', (pattern, matching, others) => {
    const portable = new RegExp(portablePattern(pattern.source));
    for (const text of matching) expect([pattern.test(text), portable.test(text)]).toEqual([true, true]);
    for (const text of others) expect([pattern.test(text), portable.test(text)]).toEqual([false, false]);
  });

  it.each([/\p{L}/u, /\w+/, /\s/, /[\d.]/])(
    'is not generated from %s, whose meaning differs between dialects',
    (pattern) => {
      expect(() => portablePattern(pattern.source)).toThrow(TypeError);
    },
  );
});
