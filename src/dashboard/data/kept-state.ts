import { useEffect, useState, type Dispatch, type SetStateAction } from 'react';
import type { Connection } from './graphql/connection.ts';
import { useConnection } from './graphql/hooks.ts';

/**
 * State that survives navigation. Stored in memory per connection, so that another user or account never sees it.
 * @returns a hook like `useState`; its argument derives the initial state from the stored one
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
