import { useEffect, useRef, useState } from 'react';

/** Hidden pages have no animation frames: updates use this interval. */
const HIDDEN_INTERVAL_MS = 250;

export interface FrameBatch<T> {
  readonly add: (item: T) => void;
  /** Pending items are applied with the next one. */
  readonly cancel: () => void;
}

/** Batches frequent items. @param apply receives all items since the last frame, once per frame */
export function batchPerFrame<T>(apply: (items: readonly T[]) => void): FrameBatch<T> {
  let pending: T[] = [];
  let cancelFrame: (() => void) | null = null;
  return {
    add: (item) => {
      pending.push(item);
      cancelFrame ??= scheduleFrame(() => {
        cancelFrame = null;
        const items = pending;
        pending = [];
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
export function useFrameBatch<T>(apply: (items: readonly T[]) => void): (item: T) => void {
  const current = useRef(apply);
  const [{ add, cancel }] = useState(() => batchPerFrame<T>((items) => current.current(items)));
  useEffect(() => {
    current.current = apply;
  });
  useEffect(() => cancel, [cancel]);
  return add;
}

function scheduleFrame(run: () => void): () => void {
  if (document.hidden) {
    const timer = setTimeout(run, HIDDEN_INTERVAL_MS);
    return () => clearTimeout(timer);
  }
  const frame = requestAnimationFrame(run);
  return () => cancelAnimationFrame(frame);
}
