import { assert, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { countTokens, splitTokens } from '../../../../src/providers/sandbox/text/tokens.ts';

it('tokens join to the text, never split a code point, and match their count', () => {
  assert(
    property(string({ unit: 'binary', maxLength: 200 }), (text) => {
      const tokens = splitTokens(text);
      expect(tokens.join('')).toBe(text);
      expect(tokens.every((token) => token !== '' && token.isWellFormed())).toBe(true);
      expect(countTokens(text)).toBe(tokens.length);
    }),
  );
});

it('English has about four bytes per token', () => {
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

it('at most the specified number of units is counted exactly', () => {
  expect(countTokens('a b c d', 2)).toBe(2 + Math.ceil(4 / 4));
  expect(countTokens('a b c d', 0)).toBe(Math.ceil(7 / 4));
});
