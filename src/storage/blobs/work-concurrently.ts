/** @throws the first error of `work`, after the started ones have ended */
export async function workConcurrently<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const workNext = async (): Promise<void> => {
    for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value);
  };
  const results = await Promise.allSettled(Array.from({ length: limit }, workNext));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
