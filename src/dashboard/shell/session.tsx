import { createContext, use, useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { Provider } from 'urql';
import { connect } from '../data/connection.ts';
import { ConnectionContext } from '../data/hooks.ts';
import { removeAllResults } from '../data/stored-results.ts';

interface Session {
  /** Another for each connection: what belongs to one is nothing to the next. */
  readonly turn: number;
  /** The account that was chosen; null for the user's first. */
  readonly accountId: string | null;
  /** Forgets what was read: somebody signed in, or may do other things now. */
  renew(): void;
  /** Forgets the chosen account and stored results too: somebody signed out, or the account is theirs no more. */
  forget(): void;
  selectAccount(accountId: string): void;
}

const SessionContext = createContext<Session | null>(null);
const ACCOUNT = 'sluice.account';

/** The connection to the server, anew for each user and account. */
export function SessionProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [{ accountId, turn }, setState] = useState(() => ({ accountId: localStorage.getItem(ACCOUNT), turn: 0 }));
  // oxlint-disable-next-line react/exhaustive-deps
  const connection = useMemo(() => connect(accountId), [accountId, turn]);
  useEffect(() => () => connection.close(), [connection]);
  const renew = useCallback(() => setState((before) => ({ ...before, turn: before.turn + 1 })), []);
  const forget = useCallback(() => {
    localStorage.removeItem(ACCOUNT);
    void removeAllResults();
    setState((before) => ({ accountId: null, turn: before.turn + 1 }));
  }, []);
  const selectAccount = useCallback((id: string) => {
    localStorage.setItem(ACCOUNT, id);
    setState((before) => ({ accountId: id, turn: before.turn + 1 }));
  }, []);
  const session = useMemo(
    () => ({ turn, accountId, renew, forget, selectAccount }),
    [turn, accountId, renew, forget, selectAccount],
  );
  return (
    <SessionContext value={session}>
      <ConnectionContext value={connection}>
        <Provider value={connection.client}>{children}</Provider>
      </ConnectionContext>
    </SessionContext>
  );
}

/** An account that this browser remembers may be another user's, or gone. @param isOutside whether it is */
export function useForgottenAccount(isOutside: boolean): void {
  const { accountId, forget } = useSession();
  const isForeign = isOutside && accountId !== null;
  useEffect(() => {
    if (isForeign) forget();
  }, [isForeign, forget]);
}

export function useSession(): Session {
  const session = use(SessionContext);
  if (session === null) throw new Error('Pages stand within a session.');
  return session;
}
