import { costNano } from '../catalogue/price.ts';
import type { SluiceError } from '../errors/index.ts';
import type { CompletionUpdate } from '../live/events.ts';
import type { TokenUsage } from './capabilities/capability.ts';
import type { Segment } from './journal/segment.ts';
import type { DurabilityWaiter } from './journal/usage-journal.ts';
import type { CapabilityMetrics } from './metrics.ts';
import type { Call, PipelineParts } from './pipeline.ts';
import type { Route } from './routing/route.ts';
import { lineHead, recordLine } from './usage-line.ts';
import type { UsageStatus } from './usage-record.ts';

const BYTES_PER_TOKEN = 4;

/** What is known of a request when it is admitted. */
export interface Admitted {
  readonly route: Route;
  readonly capability: string;
  readonly requestedModel: string;
  readonly streamed: boolean;
  readonly endUser: string | null;
  /** Tokens that its limits hold for it. */
  readonly reserved: number;
}

/** How a request ended. */
export interface Ending {
  readonly status: UsageStatus;
  readonly httpStatus: number;
  readonly error: SluiceError | null;
  readonly usage: TokenUsage;
  readonly estimated: boolean;
  readonly finishReason: string | null;
}

/** A body's tokens, roughly: counting them exactly would cost more than relaying them. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** Keeps account of one admitted request: its times, its records in the journal, its price, what its limits hold. */
export class Metering {
  readonly #parts: PipelineParts;
  readonly #call: Call;
  readonly #metrics: CapabilityMetrics;
  readonly #admitted: Admitted;
  readonly #lineHead: string;
  #segment: Segment | null = null;
  #sentAt = 0;
  #firstTokenAt = 0;

  constructor(parts: PipelineParts, call: Call, metrics: CapabilityMetrics, admitted: Admitted) {
    this.#parts = parts;
    this.#call = call;
    this.#metrics = metrics;
    this.#admitted = admitted;
    this.#lineHead = lineHead({ ...admitted, eventId: call.eventId, at: Date.now(), key: call.key });
    if (admitted.streamed) metrics.openStreams++;
  }

  /** Whether anything was sent to a provider. */
  get sent(): boolean {
    return this.#sentAt > 0;
  }

  /** Records the begin. Its record is also what stands if this process dies: the input, estimated. */
  begin(waiter: DurabilityWaiter): void {
    const record = this.#record({
      status: 'interrupted',
      httpStatus: 0,
      error: null,
      usage: this.estimate(0),
      estimated: true,
      finishReason: null,
    });
    this.#segment = this.#parts.journal.begin(record, waiter);
  }

  markSent(): void {
    this.#sentAt = performance.now();
  }

  markFirstToken(): void {
    this.#firstTokenAt = performance.now();
    this.#metrics.firstToken(this.#firstTokenAt - this.#call.startedAt);
  }

  /** Usage as far as it can be told from here. */
  estimate(outputTokens: number): TokenUsage {
    return { inputTokens: estimateTokens(this.#call.body.length), outputTokens, cachedTokens: 0, reasoningTokens: 0 };
  }

  /** In nano-USD. */
  costOf(usage: TokenUsage): bigint {
    const { rates } = this.#admitted.route;
    if (rates === null) return 0n;
    const { inputTokens: input, outputTokens: output, cachedTokens: cached, reasoningTokens: reasoning } = usage;
    return costNano(rates, { input, output, cached, reasoning });
  }

  /** Records the settle, and gives back what the limits held too much. The waiter is told when it is on disk. */
  settle(ending: Ending, waiter: DurabilityWaiter): void {
    const { inputTokens, outputTokens, cachedTokens, reasoningTokens } = ending.usage;
    this.#parts.limits.settle(this.#call.key, this.#admitted.reserved, inputTokens + outputTokens);
    this.#metrics.tokensUsed(inputTokens, outputTokens, cachedTokens, reasoningTokens);
    if (this.#admitted.streamed) this.#metrics.openStreams--;
    if (this.#segment) this.#parts.journal.settle(this.#record(ending), this.#segment, waiter);
  }

  /** The last that live watchers hear of it. */
  lastUpdate({ status, error, usage, estimated, finishReason }: Ending): CompletionUpdate {
    if (status !== 'succeeded')
      return {
        type: 'failed',
        code: error?.code ?? 'aborted',
        message: error?.message ?? 'The caller went away.',
        aborted: status === 'aborted',
      };
    const durationMs = performance.now() - this.#call.startedAt;
    const costOfIt = this.costOf(usage);
    return {
      type: 'finished',
      finishReason,
      ...usage,
      estimated,
      costNano: costOfIt,
      durationMs,
      firstTokenMs: this.#firstTokenMs,
    };
  }

  #record({ status, httpStatus, error, usage, estimated, finishReason }: Ending): string {
    const now = performance.now();
    const { route } = this.#admitted;
    const errorCode = error?.code ?? null;
    const attempt = this.sent
      ? { provider: route.connection.provider, model: route.upstreamModel, durationMs: now - this.#sentAt }
      : null;
    const durationMs = now - this.#call.startedAt;
    const cost = this.costOf(usage);
    const outcome = {
      status,
      httpStatus,
      errorCode,
      usage,
      estimated,
      finishReason,
      cost,
      durationMs,
      firstTokenMs: this.#firstTokenMs,
    };
    return recordLine(this.#lineHead, outcome, attempt);
  }

  get #firstTokenMs(): number | null {
    return this.#firstTokenAt === 0 ? null : this.#firstTokenAt - this.#call.startedAt;
  }
}
