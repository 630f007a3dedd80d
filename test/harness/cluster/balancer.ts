import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type Dispatcher } from 'undici';

const CHECK_INTERVAL_MS = 200;
const CHECK_TIMEOUT_MS = 1_000;
/** Shorter than that of the server, as load balancers have it. */
const KEEP_ALIVE_MS = 60_000;
/** An answer that does not come within this time counts as lost. */
const ANSWER_TIMEOUT_MS = 120_000;

export interface BalancedRequest {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/**
 * Sends requests to processes in turn, over kept connections, as load balancers do: to those whose `/readyz` returns 200, and to
 * the next one where a connection is refused. A request that was sent is never sent again.
 */
export class Balancer {
  readonly #pools: readonly Pool[];
  readonly #isReady: boolean[];
  readonly #open: number[];
  readonly #closing = new AbortController();
  readonly #checks: readonly Promise<void>[];
  #next = 0;

  constructor(urls: readonly string[]) {
    this.#pools = urls.map(
      (url) =>
        new Pool(url, {
          pipelining: 1,
          keepAliveTimeout: KEEP_ALIVE_MS,
          keepAliveMaxTimeout: KEEP_ALIVE_MS,
          headersTimeout: ANSWER_TIMEOUT_MS,
          bodyTimeout: ANSWER_TIMEOUT_MS,
        }),
    );
    this.#isReady = urls.map(() => true);
    this.#open = urls.map(() => 0);
    this.#checks = urls.map((url, at) => this.#check(url, at));
  }

  isReady(at: number): boolean {
    return this.#isReady[at] === true;
  }

  /** Requests under way at a process. */
  openAt(at: number): number {
    return this.#open[at] ?? 0;
  }

  /** @throws the error of a connection that broke; one with the code `ECONNREFUSED` where no process accepts connections */
  async send(request: BalancedRequest): Promise<{ readonly at: number; readonly response: Dispatcher.ResponseData }> {
    const refused = new Set<number>();
    for (;;) {
      const at = this.#choose(refused);
      const pool = this.#pools[at];
      if (pool === undefined) throw new Error('there is no process');
      this.#count(at, 1);
      try {
        const response = await pool.request({ ...request, headers: { ...request.headers } });
        response.body.once('close', () => this.#count(at, -1));
        return { at, response };
      } catch (error) {
        this.#count(at, -1);
        refused.add(at);
        if (!isRefused(error) || refused.size === this.#pools.length) throw error;
      }
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#checks);
    await Promise.all(this.#pools.map((pool) => pool.destroy()));
  }

  /** Round robin over those that are ready; over all where none is. */
  #choose(refused: ReadonlySet<number>): number {
    const all = [...this.#pools.keys()].filter((at) => !refused.has(at));
    const ready = all.filter((at) => this.isReady(at));
    const candidates = ready.length > 0 ? ready : all;
    return candidates[this.#next++ % candidates.length] ?? 0;
  }

  #count(at: number, change: number): void {
    this.#open[at] = this.openAt(at) + change;
  }

  async #check(url: string, at: number): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const timeout = AbortSignal.any([signal, AbortSignal.timeout(CHECK_TIMEOUT_MS)]);
      this.#isReady[at] = await fetch(`${url}/readyz`, { headers: { connection: 'close' }, signal: timeout }).then(
        async (response) => {
          await response.arrayBuffer();
          return response.ok;
        },
        () => false,
      );
      await sleep(CHECK_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

export function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
}
