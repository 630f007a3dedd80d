import * as fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { requiredLiteral } from '../../../../../src/gateway/content/redaction/required-literal.ts';

const pieces = [
  'a',
  'b',
  'ab',
  'T-',
  '.',
  '[ab]',
  String.raw`\d`,
  '(?:a|b)',
  '(b)',
  '^',
  '$',
  String.raw`\b`,
  '"',
  '/',
];
const repetitions = ['', '', '', '?', '*', '+', '+?', '{0}', '{0,2}', '{2}', '{1,}'];
const part = fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(...repetitions)).map((parts) => parts.join(''));

describe('the literal of an expression', () => {
  it.each([
    ['T-[0-9]+', 'T-'],
    [String.raw`\bEMP-\d{6}\b`, 'EMP-'],
    [String.raw`EMP-(\d+)-INTERNAL`, '-INTERNAL'],
    [String.raw`acme\.example`, 'acme.example'],
    ['ab?cd', 'cd'],
    ['ab+cd', 'ab'],
    ['ab{2,3}', 'ab'],
    ['a(?:b|c)de', 'de'],
    ['(?P<id>[A-Z]{2})_ref', '_ref'],
    ['one"two/three', 'three'],
  ])('of %s is %j', (pattern, literal) => {
    expect(requiredLiteral(pattern)).toBe(literal);
  });

  it.each([
    'a|b',
    '(?i)acme',
    String.raw`\d{6}`,
    String.raw`\pL+x`,
    String.raw`\Qab\E`,
    '((a)b)cd',
    'é',
    '[[:alpha:]]x',
  ])('is not known of %s', (pattern) => {
    expect(requiredLiteral(pattern)).toBe('');
  });

  it('is part of each match', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'T', '-', '1', ' ', '"', '/'), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), text, (parts, searched) => {
        const pattern = parts.join('');
        let compiled: RE2JS;
        try {
          compiled = RE2JS.compile(pattern);
        } catch {
          // Some pieces cannot be repeated.
          return;
        }
        const matcher = compiled.matcher(searched);
        while (matcher.find()) expect(matcher.group(), pattern).toContain(requiredLiteral(pattern));
      }),
      { numRuns: 4_000 },
    );
  });
});
