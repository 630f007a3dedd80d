import type { SluiceError } from '../../errors/index.ts';

/** Why a request ends before its response is complete. */
export type EndReason = { readonly type: 'disconnected' } | { readonly type: 'failed'; readonly error: SluiceError };

export const DISCONNECTED: EndReason = { type: 'disconnected' };

/** Thrown by a phase that an abort has ended. */
export class RequestAborted extends Error {
  readonly reason: EndReason;

  constructor(reason: EndReason) {
    super('the request was aborted');
    this.reason = reason;
  }
}

/**
 * The current phase, as events from outside reach it. An object that exists anyway, not a function for each event:
 * garbage collection keeps the requests of many such functions alive for long.
 */
export interface AbortListener {
  onAbort(reason: EndReason): void;
}

/**
 * The one abort signal of a request: a client's disconnect, a revoked key, a shutdown, an exhausted budget and flagged
 * content end it through here. Not an `AbortSignal`: creating one and its listeners costs more than all other
 * bookkeeping of a request.
 */
export class RequestSignal {
  #reason: EndReason | null = null;
  #isClosed = false;
  #listener: AbortListener | null = null;
  #controller: AbortController | null = null;

  /** Null while the request may continue. */
  get reason(): EndReason | null {
    return this.#reason;
  }

  /** The first reason counts. */
  abort(reason: EndReason): void {
    if (this.#reason !== null || this.#isClosed) return;
    this.#reason = reason;
    this.#listener?.onAbort(reason);
    this.#controller?.abort();
  }

  /** For what needs an `AbortSignal`. Aborted by the end of the request, too. */
  toAbortSignal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== null || this.#isClosed) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Sets the listener of the current phase; null for none. */
  listen(listener: AbortListener | null): void {
    this.#listener = listener;
  }

  /** Ignores every later abort: the request is being settled, or has ended. */
  close(): void {
    this.#isClosed = true;
    this.#listener = null;
    this.#controller?.abort();
  }

  /** @throws RequestAborted */
  throwIfAborted(): void {
    if (this.#reason !== null) throw new RequestAborted(this.#reason);
  }

  /** @returns what `waiting` resolves to. Rejects with RequestAborted where an abort comes first. */
  race<T>(waiting: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const listener: AbortListener = { onAbort: (reason) => reject(new RequestAborted(reason)) };
      if (this.#reason !== null) listener.onAbort(this.#reason);
      else this.#listener = listener;
      waiting.then((value) => {
        if (this.#listener === listener) this.#listener = null;
        resolve(value);
      }, reject);
    });
  }
}
