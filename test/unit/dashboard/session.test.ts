import { describe, expect, it } from 'vitest';
import { SessionEnd } from '../../../src/dashboard/data/graphql/signal.ts';
import { SessionStore, type AccountStorage } from '../../../src/dashboard/shell/session-store.ts';

const ACCOUNT = 'sluice.account';

describe('the session of the dashboard', () => {
  it('does not select an account again when a response arrives after the sign-out', () => {
    const stored = new Map([[ACCOUNT, 'first']]);
    const store = new SessionStore(storageOf(stored));
    const { signOuts } = store.state;
    store.clear();
    const after = store.state;
    store.selectAccount('second', signOuts);
    expect(store.state).toBe(after);
    expect(store.state.accountId).toBeNull();
    expect(stored.size).toBe(0);
  });

  it('selects the account of a response that arrives after permissions were read again', () => {
    const stored = new Map<string, string>();
    const store = new SessionStore(storageOf(stored));
    const { signOuts } = store.state;
    store.refresh();
    store.selectAccount('second', signOuts);
    expect(store.state).toMatchObject({ accountId: 'second', generation: 2 });
    expect(stored.get(ACCOUNT)).toBe('second');
  });

  it('selects an account whose creation is answered after the selected one was lost', () => {
    const stored = new Map([[ACCOUNT, 'first']]);
    const store = new SessionStore(storageOf(stored));
    const { signOuts } = store.state;
    store.deselectAccount();
    expect(store.state).toMatchObject({ accountId: null, generation: 1 });
    expect(stored.size).toBe(0);
    store.selectAccount('second', signOuts);
    expect(store.state.accountId).toBe('second');
    expect(stored.get(ACCOUNT)).toBe('second');
  });

  it('selects an account for the user who signs in next', () => {
    const store = new SessionStore(storageOf(new Map([[ACCOUNT, 'first']])));
    store.clear();
    store.selectAccount('second', store.state.signOuts);
    expect(store.state.accountId).toBe('second');
  });

  it('does not connect again when a request is refused during a sign-out', () => {
    const signOut = new AbortController();
    const ended = new SessionEnd(signOut.signal);
    const store = new SessionStore(storageOf(new Map()));
    ended.subscribe(() => store.refresh());
    ended.notify();
    expect(store.state.generation).toBe(1);
    signOut.abort();
    ended.notify();
    expect(store.state.generation).toBe(1);
  });
});

function storageOf(stored: Map<string, string>): AccountStorage {
  return {
    getItem: (name) => stored.get(name) ?? null,
    setItem: (name, value) => void stored.set(name, value),
    removeItem: (name) => void stored.delete(name),
  };
}
