import type { Failure } from './failure.ts';

export interface ChunkResults<T> {
  /** Of the chunks before the first failure. */
  readonly results: readonly T[];
  readonly failure: Failure | null;
  /** Items that were not sent, or failed. */
  readonly rest: readonly string[];
}

/** Sends items in chunks that the server accepts, one after the other, until one fails. */
export async function inChunks<T>(
  items: readonly string[],
  size: number,
  send: (chunk: string[]) => Promise<{ data: T; failure: null } | { data: null; failure: Failure }>,
): Promise<ChunkResults<T>> {
  const results: T[] = [];
  for (let at = 0; at < items.length; at += size) {
    const { data, failure } = await send(items.slice(at, at + size));
    if (failure) return { results, failure, rest: items.slice(at) };
    results.push(data);
  }
  return { results, failure: null, rest: [] };
}
