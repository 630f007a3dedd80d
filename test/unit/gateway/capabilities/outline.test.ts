import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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
    return ['content', 'text', 'url'].includes(named) && cut.length >= 1_024 && whole.startsWith(cut);
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
    ['many short texts', Buffer.from(JSON.stringify({ content: 'x'.repeat(20_000), list: Array(3_000).fill('y') }))],
    ['a text full of quotes', request('"'.repeat(20_000))],
    ['an unclosed text', request('x'.repeat(20_000)).subarray(0, 15_000)],
    ['what is no JSON around it', Buffer.from(`{"model":m,"content":"${'x'.repeat(20_000)}"}`)],
    ['a body of quotes', Buffer.alloc(100_000, '"')],
    ['nothing but backslashes', Buffer.alloc(100_000, '\\')],
  ])('is not created for %s', (_what, body) => {
    expect(outlineOf(body)).toBeNull();
  });
});
