import { Signal } from '../data/graphql/signal.ts';

const ACCOUNT = 'sluice.account';

export type AccountStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export interface SessionState {
  /** Increases with each connection; state of an earlier connection is invalid. */
  readonly turn: number;
  /** Increases with each sign-out and loss of the account. */
  readonly signOuts: number;
  /** The selected account; null for the user's first. */
  readonly accountId: string | null;
}

/** The selected account, which the browser remembers, and how often the connection was replaced. */
export class SessionStore extends Signal {
  readonly #storage: AccountStorage;
  #state: SessionState;

  constructor(storage: AccountStorage) {
    super();
    this.#storage = storage;
    this.#state = { turn: 0, signOuts: 0, accountId: storage.getItem(ACCOUNT) };
  }

  get state(): SessionState {
    return this.#state;
  }

  renew(): void {
    this.#change({});
  }

  forget(): void {
    this.#storage.removeItem(ACCOUNT);
    this.#change({ accountId: null, signOuts: this.#state.signOuts + 1 });
  }

  /**
   * Has no effect after a sign-out: the response to a request of the earlier user would bring their account back.
   * @param signOuts of the state that the request started in
   */
  selectAccount(accountId: string, signOuts: number): void {
    if (signOuts !== this.#state.signOuts) return;
    this.#storage.setItem(ACCOUNT, accountId);
    this.#change({ accountId });
  }

  #change(state: Partial<SessionState>): void {
    this.#state = { ...this.#state, ...state, turn: this.#state.turn + 1 };
    this.notify();
  }
}
