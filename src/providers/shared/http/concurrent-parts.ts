/** More concurrent requests exceed the rate limits of some providers. */
const MAX_CONCURRENT = 4;

/**
 * Processes the parts of a request, a few concurrently. The first failure, or the signal, aborts all others. A part is read
 * from the iterable when it is sent and not retained: it may be long.
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
