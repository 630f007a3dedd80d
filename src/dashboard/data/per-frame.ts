import { useEffect, useRef, useState } from 'react';

/** Hidden pages have no animation frames: updates use this interval. */
const HIDDEN_MS = 250;

export interface PerFrame<T> {
  readonly add: (item: T) => void;
  /** Pending items are applied with the next one. */
  readonly cancel: () => void;
}

/** Batches frequent items. @param apply receives all items since the last frame, once per frame */
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
 * Batches frequent updates of a page into one per frame.
 * @returns adds one item; `apply` receives all items since the last frame
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
