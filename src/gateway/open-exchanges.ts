import type { SluiceError } from '../errors/index.ts';
import type { KeyRecord } from './key-directory.ts';

/** A request under way, as the edge sees it. */
export interface OpenExchange {
  slot: number;
  /** By which it was let in. */
  readonly key: KeyRecord;
  onClientDisconnect(): void;
  callerDrained(): void;
  terminate(error: SluiceError): void;
  checkDeadline(now: number): void;
}

/** What remembers its slot by itself. */
export interface Slotted {
  slot: number;
}

/**
 * The requests under way, each in a slot that is emptied when it ends and used again. Not a Set, nor an array that shrinks: both
 * leave outgrown tables behind that still refer to the requests of their time, and old garbage keeps young garbage alive. A
 * third of all that requests allocate survived by it.
 */
export class OpenExchanges<Exchange extends Slotted> {
  readonly #slots: (Exchange | null)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#slots.length - this.#free.length;
  }

  add(exchange: Exchange): void {
    exchange.slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[exchange.slot] = exchange;
  }

  delete(exchange: Exchange): void {
    this.#slots[exchange.slot] = null;
    this.#free.push(exchange.slot);
  }

  /** Those of now: they may end while they are looked at. */
  all(): readonly Exchange[] {
    return this.#slots.filter((exchange) => exchange !== null);
  }
}
