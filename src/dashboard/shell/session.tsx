import { createContext, use, useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { Provider } from 'urql';
import { connect } from '../data/graphql/connection.ts';
import { ConnectionContext } from '../data/graphql/hooks.ts';
import { removeAllResults } from '../data/stored-results.ts';

interface Session {
  /** Increases with each connection; state of an earlier connection is invalid. */
  readonly turn: number;
  /** The selected account; null for the user's first. */
  readonly accountId: string | null;
  /** Clears cached data, after a sign-in or a change of permissions. */
  renew(): void;
  /** Also clears the selected account and stored results, after a sign-out or the loss of the account. */
  forget(): void;
  selectAccount(accountId: string): void;
}

const SessionContext = createContext<Session | null>(null);
const ACCOUNT = 'sluice.account';

/** The connection to the server; a new one for each user and account. */
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

/** Clears a remembered account that belongs to another user or was deleted. @param isOutside whether the viewer is not a member */
export function useForgottenAccount(isOutside: boolean): void {
  const { accountId, forget } = useSession();
  const isForeign = isOutside && accountId !== null;
  useEffect(() => {
    if (isForeign) forget();
  }, [isForeign, forget]);
}

export function useSession(): Session {
  const session = use(SessionContext);
  if (session === null) throw new Error('useSession requires a SessionProvider.');
  return session;
}
