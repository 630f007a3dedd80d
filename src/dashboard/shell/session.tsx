import { createContext, use, useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { Provider } from 'urql';
import { connect } from '../data/connection.ts';
import { ConnectionContext } from '../data/hooks.ts';

interface SessionActions {
  /** Forgets what was read: somebody signed in or out. */
  renew(): void;
  selectAccount(accountId: string): void;
}

const SessionContext = createContext<SessionActions>({ renew: () => undefined, selectAccount: () => undefined });
const ACCOUNT = 'sluice.account';

/** The connection to the server, anew for each user and account. */
export function SessionProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [{ accountId, turn }, setState] = useState(() => ({ accountId: localStorage.getItem(ACCOUNT), turn: 0 }));
  // oxlint-disable-next-line react/exhaustive-deps
  const connection = useMemo(() => connect(accountId), [accountId, turn]);
  useEffect(() => () => connection.close(), [connection]);
  const renew = useCallback(() => {
    localStorage.removeItem(ACCOUNT);
    setState((before) => ({ accountId: null, turn: before.turn + 1 }));
  }, []);
  const selectAccount = useCallback((id: string) => {
    localStorage.setItem(ACCOUNT, id);
    setState((before) => ({ accountId: id, turn: before.turn + 1 }));
  }, []);
  const actions = useMemo(() => ({ renew, selectAccount }), [renew, selectAccount]);
  return (
    <SessionContext value={actions}>
      <ConnectionContext value={connection}>
        <Provider value={connection.client}>{children}</Provider>
      </ConnectionContext>
    </SessionContext>
  );
}

export function useSession(): SessionActions {
  return use(SessionContext);
}
