import { useEffect } from 'react';

/** Refetches at an interval while `isActive`. A hidden page does not. */
export function usePolling(isActive: boolean, refetch: () => void, intervalMs: number): void {
  useEffect(() => {
    if (!isActive) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) refetch();
    }, intervalMs);
    return () => clearInterval(timer);
  }, [isActive, refetch, intervalMs]);
}
