import { describe, expect, it } from 'vitest';
import { RequestSplitter } from '../../../../src/rest/batches/request-splitter.ts';

/** @param at where the text is cut; uncut where absent */
function split(text: string, at?: number, maxElementBytes = 1_000): { elements: unknown[]; rest: unknown } {
  const splitter = new RequestSplitter('requests', maxElementBytes);
  const bytes = Buffer.from(text);
  const chunks = at === undefined ? [bytes] : [bytes.subarray(0, at), bytes.subarray(at)];
  const elements = chunks.flatMap((chunk) => splitter.push(chunk)).map((each): unknown => JSON.parse(each.toString()));
  return { elements, rest: splitter.end() };
}

const elements = [
  { a: '],{"requests":[', b: ['\\"', [1, { c: '€ "x" \\' }]] },
  7,
  'text, with [brackets]',
  [],
  null,
  { requests: [1, 2] },
];
const members = { before: { requests: [1] }, 'req"uests': '"requests":[', requests: elements, after: [1, [2]] };

describe('the splitter of requests', () => {
  it.each([JSON.stringify(members), JSON.stringify(members, null, '\t')])(
    'returns the elements of the array, wherever the body is cut',
    (text) => {
      const expected = { elements, rest: { ...members, requests: elements.map(() => 0) } };
      for (let at = 0; at <= Buffer.byteLength(text); at++) expect(split(text, at)).toEqual(expected);
    },
  );

  it.each([
    '',
    '{',
    '{"requests":[1',
    '{"requests":[1}]',
    '{"requests":[1]}}',
    '{"requests":[1,]}',
    '{"requests":[,1]}',
    'x',
  ])('refuses the body %s', (text) =>
    expect(() => split(text)).toThrow(expect.objectContaining({ code: 'invalid_json' })),
  );

  it('refuses an array that occurs twice', () => {
    const refused = expect.objectContaining({ code: 'duplicate_parameter', param: 'requests' });
    expect(() => split('{"requests":[1],"requests":[1]}')).toThrow(refused);
  });

  it('refuses an element that is too large before it is complete', () => {
    const refused = expect.objectContaining({ code: 'request_too_large' });
    expect(() => split(`{"requests":["${'x'.repeat(20)}`, 10, 16)).toThrow(refused);
  });
});
