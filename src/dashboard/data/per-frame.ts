import { useCallback, useEffect, useRef } from 'react';

/** A page that nobody sees has no frames: what comes is put in that often. */
const HIDDEN_MS = 250;

/**
 * Puts what comes many times a second into the page once a frame.
 * @returns takes one item; `apply` is given all that came since the last frame
 */
export function usePerFrame<T>(apply: (items: readonly T[]) => void): (item: T) => void {
  const waiting = useRef<T[]>([]);
  const current = useRef(apply);
  const cancel = useRef<(() => void) | null>(null);
  useEffect(() => {
    current.current = apply;
  });
  useEffect(
    () => () => {
      cancel.current?.();
      cancel.current = null;
    },
    [],
  );
  return useCallback((item: T) => {
    waiting.current.push(item);
    cancel.current ??= soon(() => {
      cancel.current = null;
      const items = waiting.current;
      waiting.current = [];
      current.current(items);
    });
  }, []);
}

function soon(run: () => void): () => void {
  if (document.hidden) {
    const timer = setTimeout(run, HIDDEN_MS);
    return () => clearTimeout(timer);
  }
  const frame = requestAnimationFrame(run);
  return () => cancelAnimationFrame(frame);
}
