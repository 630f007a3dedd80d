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

interface Session extends Pick<SessionState, 'turn' | 'accountId'> {
  /** Clears cached data, after a sign-in or a change of permissions. */
  renew(): void;
  /** Also clears the selected account and stored results, after a sign-out or the loss of the account. */
  forget(): void;
  /** Has no effect in a component of an earlier user. */
  selectAccount(accountId: string): void;
}

const SessionContext = createContext<Session | null>(null);

/** The connection to the server; a new one for each user and account. */
export function SessionProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [store] = useState(() => new SessionStore(localStorage));
  const { turn, signOuts, accountId } = useSyncExternalStore(store.subscribe, () => store.state);
  // oxlint-disable-next-line react/exhaustive-deps
  const connection = useMemo(() => connect(accountId), [accountId, turn]);
  useEffect(() => () => connection.close(), [connection]);
  const renew = useCallback(() => store.renew(), [store]);
  const forget = useCallback(() => {
    void removeAllResults();
    store.forget();
  }, [store]);
  const selectAccount = useCallback((id: string) => store.selectAccount(id, signOuts), [store, signOuts]);
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
