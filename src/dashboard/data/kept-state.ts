import { useEffect, useState, type Dispatch, type SetStateAction } from 'react';
import type { Connection } from './connection.ts';
import { useConnection } from './hooks.ts';

/**
 * A state that is there again when its page is. It is kept in memory, by the connection: who signs in later, or looks at another
 * account, has another one and meets nothing of it.
 * @returns a hook as `useState`; what it is given makes the first state of what was kept
 */
export function keptState<T>(
  initial: T,
): (begin?: (kept: T) => T) => readonly [state: T, change: Dispatch<SetStateAction<T>>] {
  const kept = new WeakMap<Connection, T>();
  return (begin = (before) => before) => {
    const connection = useConnection();
    const [state, setState] = useState(() => begin(kept.get(connection) ?? initial));
    useEffect(() => {
      kept.set(connection, state);
    }, [connection, state]);
    return [state, setState];
  };
}
