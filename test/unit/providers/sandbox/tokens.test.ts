import { assert, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { countTokens, splitTokens } from '../../../../src/providers/sandbox/text/tokens.ts';

it('tokens are the text, whole code points, and as many as are counted', () => {
  assert(
    property(string({ unit: 'binary', maxLength: 200 }), (text) => {
      const tokens = splitTokens(text);
      expect(tokens.join('')).toBe(text);
      expect(tokens.every((token) => token !== '' && token.isWellFormed())).toBe(true);
      expect(countTokens(text)).toBe(tokens.length);
    }),
  );
});

it('English comes to about four bytes a token', () => {
  const text =
    'The quick brown fox jumps over the lazy dog, and nobody in the whole wide field takes any notice of it. ';
  const ratio = text.length / countTokens(text);
  expect(ratio).toBeGreaterThan(3.3);
  expect(ratio).toBeLessThan(5);
});

it('a text of many megabytes is counted by its bytes after the first 65,536 units', () => {
  const words = 2_000_000;
  const exact = Math.ceil(65_536 / 6);
  expect(countTokens(' lorem'.repeat(words))).toBe(exact + Math.ceil(((words - exact) * 6) / 4));
});

it('no more units are counted exactly than is said', () => {
  expect(countTokens('a b c d', 2)).toBe(2 + Math.ceil(4 / 4));
  expect(countTokens('a b c d', 0)).toBe(Math.ceil(7 / 4));
});
