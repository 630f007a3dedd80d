import { useEffect, useRef } from 'react';

/** Calls `read` at an interval while the component is mounted and the page is visible. */
export function usePolling(read: () => void, intervalMs: number, pause: boolean): void {
  const latest = useRef(read);
  useEffect(() => {
    latest.current = read;
  });
  useEffect(() => {
    if (pause) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs, pause]);
}
