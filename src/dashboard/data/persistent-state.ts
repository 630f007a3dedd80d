import { useEffect, useState, type Dispatch, type SetStateAction } from 'react';
import type { Connection } from './graphql/connection.ts';
import { useConnection } from './graphql/hooks.ts';

/**
 * State that survives navigation. Stored in memory per connection, so that another user or account never sees it.
 * @returns a hook like `useState`; its argument derives the initial state from the stored one
 */
export function persistentState<T>(
  initial: T,
): (initialize?: (stored: T) => T) => readonly [state: T, change: Dispatch<SetStateAction<T>>] {
  const stored = new WeakMap<Connection, T>();
  return (initialize = (before) => before) => {
    const connection = useConnection();
    const [state, setState] = useState(() => initialize(stored.get(connection) ?? initial));
    useEffect(() => {
      stored.set(connection, state);
    }, [connection, state]);
    return [state, setState];
  };
}
