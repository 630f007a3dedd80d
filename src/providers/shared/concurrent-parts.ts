/** More at once would be taken for an attack by some providers, and by their limits. */
const MOST_AT_ONCE = 4;

/**
 * Does one thing for each part of a request, a few at once. The first that fails, or the signal, ends all the others.
 * @returns the results in the order of the parts
 * @throws what the first failure threw
 */
export async function eachPart<Part, Result>(
  parts: readonly Part[],
  signal: AbortSignal,
  work: (part: Part, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const results = new Map<number, Result>();
  const failing = new AbortController();
  const stop = (): void => failing.abort();
  signal.addEventListener('abort', stop, { once: true });
  const waiting = parts.entries();
  const takeTurns = async (): Promise<void> => {
    for (const [index, part] of waiting) {
      failing.signal.throwIfAborted();
      results.set(index, await work(part, failing.signal));
    }
  };
  try {
    if (signal.aborted) stop();
    await Promise.all(Array.from({ length: Math.min(parts.length, MOST_AT_ONCE) }, takeTurns));
    return [...results].sort(([a], [b]) => a - b).map(([, result]) => result);
  } finally {
    stop();
    signal.removeEventListener('abort', stop);
  }
}
