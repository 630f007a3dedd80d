import { expect, it } from 'vitest';
import { readPages, type PagedConnection } from '../../../src/dashboard/data/graphql/read-pages.ts';

const ends = [2, 3, 7, 8];

/** Pages of several lengths, as the server shortens them. */
async function page(after: string | null): Promise<PagedConnection<number>> {
  const from = after === null ? 0 : Number(after);
  const to = ends.find((end) => end > from) ?? from;
  return {
    nodes: Array.from({ length: to - from }, (_, at) => from + at),
    pageInfo: { hasNextPage: to < 8, endCursor: String(to) },
  };
}

it('reads pages one after the other until there are as many nodes', async () => {
  expect(await readPages(page, 3)).toEqual({ nodes: [0, 1, 2], cursor: '3' });
  expect(await readPages(page, 4)).toEqual({ nodes: [0, 1, 2, 3, 4, 5, 6], cursor: '7' });
});

it('ends with the last page', async () => {
  expect(await readPages(page, 100)).toEqual({ nodes: [0, 1, 2, 3, 4, 5, 6, 7], cursor: null });
});
