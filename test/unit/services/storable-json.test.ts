import { array, assert, constantFrom, property } from 'fast-check';
import { expect, it } from 'vitest';
import { storableJson } from '../../../src/services/storable-json.ts';

const pieces = constantFrom(
  'a',
  '水',
  '😀',
  '\0',
  '\ud83d',
  '\ude00',
  '\\',
  '\\u0000',
  '\\ud800',
  '"',
  '\n',
  '\u0001',
  '\u0010',
  '\u00e9',
);

it('removes NUL characters and lone surrogates from text and changes nothing else', () => {
  assert(
    property(array(pieces), (parts) => {
      const text = parts.join('');
      const plain = text.toWellFormed().replaceAll('\0', '');
      expect(JSON.parse(storableJson({ [text]: [text, 1] }))).toEqual({ [plain]: [plain, 1] });
    }),
    { numRuns: 500 },
  );
});
