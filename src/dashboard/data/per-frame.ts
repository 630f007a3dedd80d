import { useEffect, useRef, useState } from 'react';

/** A page that nobody sees has no frames: what comes is put in that often. */
const HIDDEN_MS = 250;

export interface PerFrame<T> {
  readonly add: (item: T) => void;
  /** What waits is put in with what comes next. */
  readonly cancel: () => void;
}

/** Gathers what comes many times a second. @param apply is given, once a frame, all that came since the last */
export function perFrame<T>(apply: (items: readonly T[]) => void): PerFrame<T> {
  let waiting: T[] = [];
  let cancelFrame: (() => void) | null = null;
  return {
    add: (item) => {
      waiting.push(item);
      cancelFrame ??= soon(() => {
        cancelFrame = null;
        const items = waiting;
        waiting = [];
        apply(items);
      });
    },
    cancel: () => {
      cancelFrame?.();
      cancelFrame = null;
    },
  };
}

/**
 * Puts what comes many times a second into the page once a frame.
 * @returns takes one item; `apply` is given all that came since the last frame
 */
export function usePerFrame<T>(apply: (items: readonly T[]) => void): (item: T) => void {
  const current = useRef(apply);
  const [{ add, cancel }] = useState(() => perFrame<T>((items) => current.current(items)));
  useEffect(() => {
    current.current = apply;
  });
  useEffect(() => cancel, [cancel]);
  return add;
}

function soon(run: () => void): () => void {
  if (document.hidden) {
    const timer = setTimeout(run, HIDDEN_MS);
    return () => clearTimeout(timer);
  }
  const frame = requestAnimationFrame(run);
  return () => cancelAnimationFrame(frame);
}
