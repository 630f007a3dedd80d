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
 * The end of a session, as a response or the socket reports it. Silent from the start of a sign-out: a request that is
 * refused meanwhile must not make the dashboard connect again.
 */
export class SessionEnd extends Signal {
  readonly #signingOut: AbortSignal;

  constructor(signingOut: AbortSignal) {
    super();
    this.#signingOut = signingOut;
  }

  override notify(): void {
    if (!this.#signingOut.aborted) super.notify();
  }
}
