/** More at once would be taken for an attack by some providers, and by their limits. */
const MAX_CONCURRENT = 4;

/**
 * Does one thing for each part of a request, a few at once. The first that fails, or the signal, ends all the others. A part is
 * asked for when its turn comes, and not kept: it may be long, and what is waited for is its answer.
 * @returns the results in the order of the parts
 * @throws what the first failure threw
 */
export async function eachPart<Part, Result>(
  parts: Iterable<Part>,
  signal: AbortSignal,
  work: (part: Part, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const results = new Map<number, Result>();
  const failing = new AbortController();
  const stop = (): void => failing.abort();
  signal.addEventListener('abort', stop, { once: true });
  const waiting = parts[Symbol.iterator]();
  let count = 0;
  const startNext = (): Promise<unknown> | null => {
    failing.signal.throwIfAborted();
    const next = waiting.next();
    if (next.done === true) return null;
    const index = count++;
    return work(next.value, failing.signal).then((result) => results.set(index, result));
  };
  const worker = async (): Promise<void> => {
    for (let under = startNext(); under !== null; under = startNext()) await under;
  };
  try {
    if (signal.aborted) stop();
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, worker));
    return [...results].sort(([a], [b]) => a - b).map(([, result]) => result);
  } finally {
    stop();
    signal.removeEventListener('abort', stop);
  }
}
