import type { Failure } from '../../data/failure.ts';
import type { Connection } from '../../data/graphql/connection.ts';
import { Signal } from '../../data/graphql/signal.ts';
import { RestFailure, type RestResponse } from '../../data/rest.ts';

/** The result of a call. */
export interface CallResult<T> {
  readonly value: T;
  /** The prompt or file name of the request. */
  readonly input: string;
  /** USD; null while it is unknown. */
  readonly cost: string | null;
  readonly durationMs: number | null;
}

export interface CallState<T> {
  readonly result: CallResult<T> | null;
  readonly failure: Failure | null;
  readonly pending: boolean;
}

export const noCall = { result: null, failure: null, pending: false } as const;

/** One call of `/v1` with its result. It continues when the page is left. */
export class Call<T> extends Signal {
  readonly #abortController = new AbortController();
  #state: CallState<T>;

  constructor(state: CallState<T>) {
    super();
    this.#state = state;
  }

  get state(): CallState<T> {
    return this.#state;
  }

  /**
   * @param connection cancels the call when it is closed
   * @returns the result; null when the call failed or was cancelled
   */
  async run(
    input: string,
    send: (signal: AbortSignal) => Promise<RestResponse>,
    read: (response: RestResponse) => Promise<T>,
    { closed, signingOut }: Pick<Connection, 'closed' | 'signingOut'>,
  ): Promise<CallResult<T> | null> {
    const { signal } = this.#abortController;
    if (signingOut.aborted) this.stop();
    const unsubscribe = closed.subscribe(() => this.stop());
    const startedAt = performance.now();
    try {
      const response = await send(signal);
      const value = await read(response);
      if (signal.aborted) return null;
      const result = { value, input, cost: response.cost, durationMs: performance.now() - startedAt };
      this.#change({ ...noCall, result });
      return result;
    } catch (error) {
      if (!signal.aborted) this.#change({ ...noCall, failure: failureOf(error) });
      return null;
    } finally {
      unsubscribe();
    }
  }

  stop(): void {
    this.#abortController.abort();
    this.#change({ ...this.#state, pending: false });
  }

  #change(state: CallState<T>): void {
    this.#state = state;
    this.notify();
  }
}

export function failureOf(error: unknown): Failure {
  if (error instanceof RestFailure) return error.failure;
  return { message: 'The response could not be read. Try again.', code: 'unreadable', requestId: null };
}
