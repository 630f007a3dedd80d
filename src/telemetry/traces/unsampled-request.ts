import type { HttpExchange, RequestSpan, SettledRequest } from '../../gateway/telemetry/request-span.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';

/** A request without spans: it passes the context of its trace on, and is measured. */
export class UnsampledRequest implements RequestSpan {
  readonly isSampled = false;
  readonly outboundHeaders: readonly string[];
  readonly #metrics: RequestMetrics | null;
  readonly #startedAt: number;
  readonly #now: () => number;

  /** @param now in milliseconds */
  constructor(outboundHeaders: readonly string[], metrics: RequestMetrics | null, now: () => number) {
    this.outboundHeaders = outboundHeaders;
    this.#metrics = metrics;
    this.#now = now;
    this.#startedAt = now();
  }

  get ids(): null {
    return null;
  }

  begin(): void {}

  startAttempt(): void {}

  received(): void {}

  identified(): void {}

  settled(request: SettledRequest): void {
    this.#metrics?.settled(request);
  }

  ended(): void {}

  failed(): void {}

  startChild(): RequestSpan {
    return new UnsampledRequest(this.outboundHeaders, this.#metrics, this.#now);
  }

  continuedBy(): RequestSpan {
    return this.startChild();
  }

  createdBatch(): void {}

  closed(exchange: HttpExchange | null): void {
    if (exchange !== null) this.#metrics?.closed(exchange, this.#now() - this.#startedAt);
  }
}
