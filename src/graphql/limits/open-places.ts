import type { Caller } from '../context.ts';
import { callerName } from './caller-name.ts';
import { tooLarge } from './too-large.ts';

/** Of one caller, over all of their sockets. */
const MOST = 5_000;

/** How many subscriptions each caller has open on this server process. */
export class OpenSubscriptions {
  readonly #open = new Map<string, number>();

  /**
   * Takes a place for one more.
   * @returns gives it back, once however often it is called
   * @throws GraphQLError of a SluiceError operation_too_large
   */
  take(caller: Caller): () => void {
    const name = callerName(caller);
    const open = this.#open.get(name) ?? 0;
    if (open >= MOST) throw tooLarge('a caller with more subscriptions at once', MOST);
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
