import {
  createContext,
  use,
  useCallback,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react';
import { Provider } from 'urql';
import { connect } from '../data/graphql/connection.ts';
import { ConnectionContext } from '../data/graphql/hooks.ts';
import { removeAllResults } from '../data/stored-results.ts';
import { SessionStore, type SessionState } from './session-store.ts';

interface Session extends Pick<SessionState, 'generation' | 'accountId'> {
  /** Clears cached data, after a sign-in or a change of permissions. */
  refresh(): void;
  /** Also clears the selected account and stored results, after a sign-out. */
  clear(): void;
  /** As `clear`, after the loss of the selected account: the user is the same. */
  deselectAccount(): void;
  /** Has no effect in a component of an earlier user. */
  selectAccount(accountId: string): void;
}

const SessionContext = createContext<Session | null>(null);

/** The connection to the server; a new one for each user and account. */
export function SessionProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [store] = useState(() => new SessionStore(localStorage));
  const { generation, signOuts, accountId } = useSyncExternalStore(store.subscribe, () => store.state);
  // oxlint-disable-next-line react/exhaustive-deps
  const connection = useMemo(() => connect(accountId), [accountId, generation]);
  useEffect(() => () => connection.close(), [connection]);
  const refresh = useCallback(() => store.refresh(), [store]);
  const clear = useCallback(() => {
    void removeAllResults();
    store.clear();
  }, [store]);
  const deselectAccount = useCallback(() => {
    void removeAllResults();
    store.deselectAccount();
  }, [store]);
  const selectAccount = useCallback((id: string) => store.selectAccount(id, signOuts), [store, signOuts]);
  const session = useMemo(
    () => ({ generation, accountId, refresh, clear, deselectAccount, selectAccount }),
    [generation, accountId, refresh, clear, deselectAccount, selectAccount],
  );
  return (
    <SessionContext value={session}>
      <ConnectionContext value={connection}>
        <Provider value={connection.client}>{children}</Provider>
      </ConnectionContext>
    </SessionContext>
  );
}

/** Clears a stored account selection that belongs to another user or was deleted. @param isNonMember whether the viewer is not a member */
export function useClearForeignAccount(isNonMember: boolean): void {
  const { accountId, deselectAccount } = useSession();
  const isForeign = isNonMember && accountId !== null;
  useEffect(() => {
    if (isForeign) deselectAccount();
  }, [isForeign, deselectAccount]);
}

export function useSession(): Session {
  const session = use(SessionContext);
  if (session === null) throw new Error('useSession requires a SessionProvider.');
  return session;
}
