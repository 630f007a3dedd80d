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
export class OpenRequests<Request extends Slotted> {
  readonly #slots: (Request | null)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#slots.length - this.#free.length;
  }

  add(request: Request): void {
    request.slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[request.slot] = request;
  }

  delete(request: Request): void {
    this.#slots[request.slot] = null;
    this.#free.push(request.slot);
  }

  /** A snapshot: they may end during the iteration. */
  all(): readonly Request[] {
    return this.#slots.filter((request) => request !== null);
  }
}
