import { useEffect } from 'react';

const FIRST_MS = 1_000;
const MAX_MS = 30_000;

/** Fetches again while `isAwaited`: after a second, and then ever less often, down to every 30 s. */
export function useRefetchWhile(isAwaited: boolean, refetch: () => void): void {
  useEffect(() => {
    if (!isAwaited) return;
    let delayMs = FIRST_MS;
    const wait = (): ReturnType<typeof setTimeout> =>
      setTimeout(() => {
        refetch();
        delayMs = Math.min(delayMs * 2, MAX_MS);
        timer = wait();
      }, delayMs);
    let timer = wait();
    return () => clearTimeout(timer);
  }, [isAwaited, refetch]);
}
