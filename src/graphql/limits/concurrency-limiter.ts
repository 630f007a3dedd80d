import type { Caller } from '../operation/context.ts';
import { limiterKey } from './limiter-key.ts';
import { tooLarge } from './too-large.ts';

/** Limits the concurrent resources of each caller in this process, over all of their sockets. */
export class ConcurrencyLimiter {
  readonly #resource: string;
  readonly #max: number;
  readonly #open = new Map<string, number>();

  /** @param resource plural name for the error message */
  constructor(resource: string, max: number) {
    this.#resource = resource;
    this.#max = max;
  }

  /**
   * Acquires one slot.
   * @returns releases the slot; further calls have no effect
   * @throws GraphQLError of a SluiceError operation_too_large
   */
  acquire(caller: Caller): () => void {
    const key = limiterKey(caller);
    const open = this.#open.get(key) ?? 0;
    if (open >= this.#max) throw tooLarge(`more concurrent ${this.#resource}`, this.#max);
    this.#open.set(key, open + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const remaining = (this.#open.get(key) ?? 1) - 1;
      if (remaining === 0) this.#open.delete(key);
      else this.#open.set(key, remaining);
    };
  }
}
