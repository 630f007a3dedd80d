import { Signal } from '../data/graphql/signal.ts';

const ACCOUNT_STORAGE_KEY = 'sluice.account';

export type AccountStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export interface SessionState {
  /** Increases with each connection; state of an earlier connection is invalid. */
  readonly generation: number;
  /** Increases with each sign-out. */
  readonly signOuts: number;
  /** The selected account; null for the user's first. */
  readonly accountId: string | null;
}

/** The selected account, stored in the browser, and the number of connections and sign-outs. */
export class SessionStore extends Signal {
  readonly #storage: AccountStorage;
  #state: SessionState;

  constructor(storage: AccountStorage) {
    super();
    this.#storage = storage;
    this.#state = { generation: 0, signOuts: 0, accountId: storage.getItem(ACCOUNT_STORAGE_KEY) };
  }

  get state(): SessionState {
    return this.#state;
  }

  refresh(): void {
    this.#change({});
  }

  /** After a sign-out. */
  clear(): void {
    this.#deselectAccount(this.#state.signOuts + 1);
  }

  /** After the loss of the selected account. One that the same user is creating is selected later nevertheless. */
  deselectAccount(): void {
    this.#deselectAccount(this.#state.signOuts);
  }

  /**
   * Has no effect after a sign-out: the response to a request of the earlier user would bring their account back.
   * @param signOuts of the state that the request started in
   */
  selectAccount(accountId: string, signOuts: number): void {
    if (signOuts !== this.#state.signOuts) return;
    this.#storage.setItem(ACCOUNT_STORAGE_KEY, accountId);
    this.#change({ accountId });
  }

  #deselectAccount(signOuts: number): void {
    this.#storage.removeItem(ACCOUNT_STORAGE_KEY);
    this.#change({ accountId: null, signOuts });
  }

  #change(state: Partial<SessionState>): void {
    this.#state = { ...this.#state, ...state, generation: this.#state.generation + 1 };
    this.notify();
  }
}
