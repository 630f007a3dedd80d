import { useEffect, useRef } from 'react';
import { useSocketState } from './hooks.ts';

/** Calls `read` when a dropped socket is connected again: what happened meanwhile was not received. */
export function useReconnect(read: () => void): void {
  const state = useSocketState();
  const latest = useRef(read);
  useEffect(() => {
    latest.current = read;
  });
  const hasDropped = useRef(false);
  useEffect(() => {
    if (state === 'dropped') hasDropped.current = true;
    if (state !== 'connected' || !hasDropped.current) return;
    hasDropped.current = false;
    latest.current();
  }, [state]);
}
