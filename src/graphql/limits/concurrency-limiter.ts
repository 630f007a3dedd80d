import type { Caller } from '../context.ts';
import { callerName } from './caller-name.ts';
import { tooLarge } from './too-large.ts';

/** How many of something each caller has open on this server process, over all of their sockets. */
export class ConcurrencyLimiter {
  readonly #what: string;
  readonly #most: number;
  readonly #open = new Map<string, number>();

  /** @param what there may be so many of, as the caller reads it */
  constructor(what: string, most: number) {
    this.#what = what;
    this.#most = most;
  }

  /**
   * Takes a place for one more.
   * @returns gives it back, once however often it is called
   * @throws GraphQLError of a SluiceError operation_too_large
   */
  take(caller: Caller): () => void {
    const name = callerName(caller);
    const open = this.#open.get(name) ?? 0;
    if (open >= this.#most) throw tooLarge(`a caller with more ${this.#what} at once`, this.#most);
    this.#open.set(name, open + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const left = (this.#open.get(name) ?? 1) - 1;
      if (left === 0) this.#open.delete(name);
      else this.#open.set(name, left);
    };
  }
}
