import { useCallback, useRef, type UIEvent } from 'react';

/** Scrolls several elements together, in proportion to their lengths. */
export function useSynchronisedScroll(isOn: boolean): {
  readonly join: (element: HTMLElement | null) => (() => void) | undefined;
  readonly onScroll: (event: UIEvent<HTMLElement>) => void;
} {
  const joined = useRef(new Set<HTMLElement>());
  /** Positions set by this hook, to ignore the scroll events that it causes. */
  const moved = useRef(new WeakMap<HTMLElement, number>());
  const join = useCallback((element: HTMLElement | null) => {
    if (!element) return undefined;
    joined.current.add(element);
    return () => void joined.current.delete(element);
  }, []);
  const onScroll = useCallback(
    ({ currentTarget: from }: UIEvent<HTMLElement>) => {
      if (!isOn) return;
      const expected = moved.current.get(from);
      moved.current.delete(from);
      if (expected !== undefined && Math.abs(expected - from.scrollTop) < 2) return;
      const length = from.scrollHeight - from.clientHeight;
      const part = length === 0 ? 0 : from.scrollTop / length;
      for (const element of joined.current) {
        if (element === from) continue;
        const to = Math.round(part * (element.scrollHeight - element.clientHeight));
        if (Math.abs(element.scrollTop - to) < 1) continue;
        moved.current.set(element, to);
        element.scrollTop = to;
      }
    },
    [isOn],
  );
  return { join, onScroll };
}
