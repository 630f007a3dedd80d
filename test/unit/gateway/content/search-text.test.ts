import { expect, it } from 'vitest';
import { searchTextOf } from '../../../../src/gateway/content/search-text.ts';

const document = (request: unknown, response: unknown = null) => ({ request, response, error: null, isComplete: true });

it('has the texts of messages, tool calls and answers, without names of the protocol and media', () => {
  const text = searchTextOf(
    document(
      {
        model: 'gpt-5',
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Where is\u0000 Oslo?' }] },
          { role: 'user', content: [{ type: 'image_url', image_url: { url: '[media:image/png; 3 bytes]' } }] },
          {
            role: 'assistant',
            tool_calls: [{ id: 'call_1', function: { name: 'map', arguments: '{"city":"Oslo"}' } }],
          },
        ],
        tools: [{ function: { name: 'map', description: 'Finds places.' } }],
      },
      { id: 'chatcmpl-1', choices: [{ message: { role: 'assistant', content: 'In Norway.\ud800' } }] },
    ),
  );
  expect(text.split('\n').map((line) => line.trim())).toEqual([
    'Where is Oslo?',
    '',
    'map',
    '{"city":"Oslo"}',
    'In Norway.\ufffd',
  ]);
});

it('has the end of a long request and the start of a long response', () => {
  const text = searchTextOf(
    document({ input: `first ${'a '.repeat(200_000)}last` }, `start ${'b '.repeat(200_000)}end`),
  );
  expect(text.length).toBeLessThanOrEqual(180_001);
  expect([text.includes('first'), text.includes('last'), text.includes('start'), text.includes('end')]).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

it('has at most 180,000 bytes, also in lower case, and divides no character', () => {
  for (const sample of ['漢字-漢字 ', 'ȺȾİ ', '𠀀 ', 'x𠀀', 'Привет ', '\ud800\ud800 ']) {
    const text = searchTextOf(document({ input: sample.repeat(100_000) }, sample.repeat(100_000)));
    expect(text.isWellFormed()).toBe(true);
    // A line break, and a replacement for each half of a divided character.
    for (const form of [text, text.toLowerCase()])
      expect(Buffer.byteLength(form)).toBeLessThanOrEqual(180_000 + 1 + 2 * 3);
    expect(Buffer.byteLength(text.toLowerCase())).toBeGreaterThan(179_990);
  }
});

it('knows all characters that have more bytes in lower case', () => {
  const longer: string[] = [];
  for (let code = 0; code < 0x110000; code++) {
    const character = String.fromCodePoint(code);
    if (Buffer.byteLength(character.toLowerCase()) > Buffer.byteLength(character)) longer.push(character);
  }
  expect(longer).toEqual(['İ', 'Ⱥ', 'Ⱦ']);
});

it('is empty for what is no document', () => {
  for (const value of [null, 7, 'text', [], {}]) expect(searchTextOf(value)).toBe('');
});
