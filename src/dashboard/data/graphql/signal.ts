/** A minimal event emitter. */
export class Signal {
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/**
 * The end of a session, as a response or the socket reports it. Silent once the connection is closed: a request that is
 * refused during a sign-out must not make the dashboard connect again.
 */
export class SessionEnd extends Signal {
  readonly #closed: AbortSignal;

  constructor(closed: AbortSignal) {
    super();
    this.#closed = closed;
  }

  override notify(): void {
    if (!this.#closed.aborted) super.notify();
  }
}
