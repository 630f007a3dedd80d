export interface PagedConnection<N> {
  readonly nodes: readonly N[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

/** Reads pages until there are at least `count` nodes, or no more. */
export async function readPages<N>(
  read: (after: string | null) => Promise<PagedConnection<N>>,
  count: number,
): Promise<{ readonly nodes: readonly N[]; readonly cursor: string | null }> {
  const nodes: N[] = [];
  let cursor: string | null = null;
  do {
    // Each page begins after the one before.
    // oxlint-disable-next-line no-await-in-loop
    const page: PagedConnection<N> = await read(cursor);
    nodes.push(...page.nodes);
    cursor = cursorOf(page);
  } while (cursor !== null && nodes.length < count);
  return { nodes, cursor };
}

export function cursorOf<N>({ pageInfo }: PagedConnection<N>): string | null {
  return pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null;
}
