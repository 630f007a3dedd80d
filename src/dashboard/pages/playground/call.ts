import { Signal } from '../../data/connection.ts';
import type { Failure } from '../../data/failure.ts';
import { RestFailure, type RestAnswer } from '../../data/rest.ts';

/** What came of a call. */
export interface CallResult<T> {
  readonly value: T;
  /** The prompt, or the name of the file, that it was made of. */
  readonly input: string;
  /** USD; null where it is known later. */
  readonly cost: string | null;
  readonly durationMs: number | null;
}

export interface CallState<T> {
  readonly result: CallResult<T> | null;
  readonly failure: Failure | null;
  readonly pending: boolean;
}

export const noCall = { result: null, failure: null, pending: false } as const;

/** One call of `/v1` with what comes of it. It goes on while its page is left. */
export class Call<T> extends Signal {
  readonly #stopping = new AbortController();
  #state: CallState<T>;

  constructor(state: CallState<T>) {
    super();
    this.#state = state;
  }

  get state(): CallState<T> {
    return this.#state;
  }

  /**
   * @param closed stops the call: what arrives later is of a session that is over
   * @returns the result; null where it failed or was stopped
   */
  async run(
    input: string,
    send: (signal: AbortSignal) => Promise<RestAnswer>,
    read: (answer: RestAnswer) => Promise<T>,
    closed: Signal,
  ): Promise<CallResult<T> | null> {
    const { signal } = this.#stopping;
    const unsubscribe = closed.subscribe(() => this.stop());
    const startedAt = performance.now();
    try {
      const answer = await send(signal);
      const value = await read(answer);
      if (signal.aborted) return null;
      const result = { value, input, cost: answer.cost, durationMs: performance.now() - startedAt };
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
    this.#stopping.abort();
    this.#change({ ...this.#state, pending: false });
  }

  #change(state: CallState<T>): void {
    this.#state = state;
    this.tell();
  }
}

export function failureOf(error: unknown): Failure {
  if (error instanceof RestFailure) return error.failure;
  return { message: 'The answer could not be read. Try again.', code: 'unreadable', requestId: null };
}
