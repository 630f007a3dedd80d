import type { Exchange } from './exchange.ts';

/**
 * The requests under way. Not a Set: one whose members come and go leaves its outgrown tables behind, each of which refers
 * to the next and to the members of its time, and old garbage keeps young garbage alive. That made a third of all that a
 * request allocates survive.
 */
export class OpenExchanges {
  readonly #exchanges: Exchange[] = [];

  get size(): number {
    return this.#exchanges.length;
  }

  add(exchange: Exchange): void {
    exchange.place = this.#exchanges.length;
    this.#exchanges.push(exchange);
  }

  delete(exchange: Exchange): void {
    const last = this.#exchanges.pop();
    if (last === undefined || last === exchange) return;
    this.#exchanges[exchange.place] = last;
    last.place = exchange.place;
  }

  /** Those of now: they may end while they are looked at. */
  all(): readonly Exchange[] {
    return [...this.#exchanges];
  }
}
