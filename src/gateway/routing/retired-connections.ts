import type { Clock } from '../../calendar/clock.ts';
import type { Connection } from '../../providers/contract.ts';

/** For uses that are no requests of the pipeline: polls of video jobs, downloads, lists of models. */
const MIN_RETIREMENT_MS = 15 * 60_000;

/** The connections of earlier configurations: requests that selected one may be open for long, and retry on it. */
export class RetiredConnections {
  readonly #clock: Clock;
  readonly #whenRequestsEnd: () => Promise<void>;
  readonly #retired = new Set<readonly Connection[]>();

  /** @param whenRequestsEnd resolves once all requests that are open at its call have ended */
  constructor(clock: Clock, whenRequestsEnd: () => Promise<void>) {
    this.#clock = clock;
    this.#whenRequestsEnd = whenRequestsEnd;
  }

  /** Closes connections that new requests do not select any more, once no open request may use them. */
  retire(connections: readonly Connection[]): void {
    this.#retired.add(connections);
    const elapsed = new Promise<void>((resolve) => this.#clock.setTimeout(resolve, MIN_RETIREMENT_MS).unref());
    void Promise.all([elapsed, this.#whenRequestsEnd()]).then(() => this.#close(connections));
  }

  /** Closes all of them now. */
  async close(): Promise<void> {
    await Promise.all([...this.#retired].map((connections) => this.#close(connections)));
  }

  async #close(connections: readonly Connection[]): Promise<void> {
    if (this.#retired.delete(connections)) await closeAll(connections);
  }
}

/** Waits for all, whether or not one fails. */
export async function closeAll(connections: readonly Connection[]): Promise<void> {
  await Promise.allSettled(connections.map((connection) => connection.close()));
}
