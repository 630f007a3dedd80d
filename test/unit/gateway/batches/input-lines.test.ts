import { describe, expect, it } from 'vitest';
import { inputLines } from '../../../../src/gateway/batches/input-lines.ts';

async function read(chunks: readonly string[], offset?: number): Promise<[text: string, end: number][]> {
  const lines: [string, number][] = [];
  const source = (async function* () {
    yield* chunks.map((chunk) => Buffer.from(chunk));
  })();
  for await (const { bytes, end } of inputLines(source, offset)) lines.push([bytes.toString(), end]);
  return lines;
}

describe('the lines of an input', () => {
  it('are the same wherever the file is cut, with the offset after each', async () => {
    const text = 'one\n\nthree is €\nlast';
    const expected = [
      ['one', 4],
      ['', 5],
      ['three is €', 18],
      ['last', 22],
    ];
    for (let at = 0; at <= text.length; at++) expect(await read([text.slice(0, at), text.slice(at)])).toEqual(expected);
  });

  it('continue at an offset', async () => {
    expect(await read(['three\nfour\n'], 100)).toEqual([
      ['three', 106],
      ['four', 111],
    ]);
  });
});
