import { SluiceError } from '../errors/index.ts';
import type { CompletionUpdate } from '../live/events.ts';
import type { LiveHub } from '../live/live-hub.ts';
import type { EventIds } from './event-id.ts';
import { Exchange } from './exchange.ts';
import type { Capability } from './capabilities/capability.ts';
import type { UsageJournal } from './journal/usage-journal.ts';
import type { KeyRecord } from './key-directory.ts';
import type { LimitStore } from './limits/limit-store.ts';
import type { GatewayMetrics } from './metrics.ts';
import { OpenExchanges } from './open-exchanges.ts';
import type { Outlet } from './outlet.ts';
import type { Router } from './routing/route.ts';
import type { Timeouts } from './timeouts.ts';

const SWEEP_MS = 500;

export interface PipelineParts {
  readonly limits: LimitStore;
  readonly journal: UsageJournal;
  readonly router: Router;
  readonly live: LiveHub;
  readonly metrics: GatewayMetrics;
  readonly timeouts: () => Timeouts;
  readonly log: PipelineLog;
}

export interface PipelineLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** One call into the data plane, its key known. */
export interface Call extends EventIds {
  readonly key: KeyRecord;
  /** `performance.now()` when the caller's request came. */
  readonly startedAt: number;
  readonly outlet: Outlet;
  /** Told what the answer says, as it comes; null where nobody but the outlet follows it. */
  readonly watch: ((update: CompletionUpdate) => void) | null;
}

/** The data plane: every capability's requests go through here, and those under way are known. */
export class Pipeline {
  readonly parts: PipelineParts;
  readonly #open = new OpenExchanges();
  readonly #sweeper: NodeJS.Timeout;
  #stopping = false;
  #idle: (() => void) | null = null;

  constructor(parts: PipelineParts) {
    this.parts = parts;
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** Runs one request to its end; every outcome, failures included, goes to its outlet. */
  open<Request>(capability: Capability<Request>, call: Call, body: Buffer): Exchange {
    const exchange = new Exchange(this, capability, call);
    this.#open.add(exchange);
    if (this.#stopping) exchange.refuse(new SluiceError('shutting_down', { retryAfterMs: 1_000 }));
    else if (this.parts.journal.failure)
      exchange.refuse(new SluiceError('metering_unavailable', { retryAfterMs: 1_000 }));
    else exchange.run(body);
    return exchange;
  }

  ended(exchange: Exchange): void {
    this.#open.delete(exchange);
    if (this.#open.size === 0) this.#idle?.();
  }

  /** Ends every request that a key runs: it was revoked. */
  endKey(keyId: string, error: SluiceError): void {
    for (const exchange of this.#open.all()) if (exchange.keyId === keyId) exchange.terminate(error);
  }

  /** Takes no new request, lets those under way end for `graceMs`, then ends them with an error, settled. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    if (this.#open.size > 0) {
      const idle = new Promise<void>((resolve) => (this.#idle = resolve));
      await Promise.race([idle, new Promise((resolve) => setTimeout(resolve, graceMs).unref())]);
      for (const exchange of this.#open.all())
        exchange.terminate(new SluiceError('shutting_down', { retryAfterMs: 1_000 }));
      if (this.#open.size > 0) await idle;
    }
    clearInterval(this.#sweeper);
  }

  #sweep(): void {
    const now = performance.now();
    for (const exchange of this.#open.all()) exchange.checkDeadline(now);
  }
}
