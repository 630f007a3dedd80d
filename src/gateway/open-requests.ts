import type { SluiceError } from '../errors/index.ts';
import type { KeyRecord } from './keys/key-directory.ts';

/** An open request, as the edge sees it. */
export interface OpenRequest {
  slot: number;
  /** The key that it was admitted with. */
  readonly key: KeyRecord;
  onClientDisconnect(): void;
  onClientDrained(): void;
  terminate(error: SluiceError): void;
  checkDeadline(now: number): void;
}

/** An object that stores its own slot. */
export interface Slotted {
  slot: number;
}

/**
 * The open requests, each in a slot that is reused after its end. Not a Set, nor an array that shrinks: both leave
 * outgrown tables behind that still refer to old requests, and old garbage keeps young garbage alive. A third of all
 * allocations of requests survived because of it.
 */
export class OpenRequests<Exchange extends Slotted> {
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

  /** A snapshot: they may end during the iteration. */
  all(): readonly Exchange[] {
    return this.#slots.filter((exchange) => exchange !== null);
  }
}
