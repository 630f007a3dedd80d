import { expect, it } from 'vitest';
import { inChunks } from '../../../src/dashboard/data/in-chunks.ts';

const items = Array.from({ length: 250 }, (_, at) => String(at));
const failure = { message: 'Not available.', code: 'database_unavailable', requestId: null };

it('sends items in chunks, in order', async () => {
  const sent: string[][] = [];
  const send = async (chunk: string[]) => ({ data: sent.push(chunk), failure: null });
  expect(await inChunks(items, 100, send)).toEqual({ results: [1, 2, 3], failure: null, rest: [] });
  expect(sent.map(({ length }) => length)).toEqual([100, 100, 50]);
  expect(sent.flat()).toEqual(items);
});

it('stops at the first failure, and returns the results before it and the rest', async () => {
  let sent = 0;
  const send = async (chunk: string[]) =>
    (sent += 1) === 2 ? ({ data: null, failure } as const) : { data: chunk.length, failure: null };
  expect(await inChunks(items, 100, send)).toEqual({ results: [100], failure, rest: items.slice(100) });
  expect(sent).toBe(2);
});
