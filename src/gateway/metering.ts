import { costNano } from '../catalogue/price.ts';
import type { Call, PipelineParts } from './call.ts';
import type { CompletionUpdate } from '../live/events.ts';
import { tokensUsed, type TokenUsage } from './capabilities/capability.ts';
import type { Segment } from './journal/segment.ts';
import type { DurabilityWaiter } from './journal/usage-journal.ts';
import { failedAt } from './log-failure.ts';
import type { CapabilityMetrics } from './metrics.ts';
import type { SluiceError } from '../errors/index.ts';
import type { Route, TierRates } from './routing/route.ts';
import {
  attemptLine,
  begunLine,
  lineHead,
  settledLine,
  tierMember,
  type Admitted,
  type Ending,
  type Timing,
} from './usage-line.ts';

const BYTES_PER_TOKEN = 4;

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
  readonly #reserved: number;
  readonly #beganAt = Date.now();
  #lineHead: string;
  #route: Route;
  /** Tries that failed before the one under way, as members of a JSON array. */
  #failedAttempts = '';
  #segment: Segment | null = null;
  #sentAt = 0;
  #firstTokenAt = 0;

  constructor(parts: PipelineParts, call: Call, metrics: CapabilityMetrics, admitted: Admitted, reserved: number) {
    this.#parts = parts;
    this.#call = call;
    this.#metrics = metrics;
    this.#admitted = admitted;
    this.#reserved = reserved;
    this.#route = admitted.route;
    this.#lineHead = lineHead(call, this.#beganAt, admitted, admitted.route);
    if (admitted.streamed) metrics.openStreams++;
  }

  /** Whether a try is under way. */
  get sent(): boolean {
    return this.#sentAt > 0;
  }

  /** Estimated. */
  get inputTokens(): number {
    return this.#admitted.inputTokens;
  }

  /** 0 where nothing came yet. */
  get sinceFirstTokenMs(): number {
    return this.#firstTokenAt === 0 ? 0 : performance.now() - this.#firstTokenAt;
  }

  /** Records the begin: should this process die, the request is settled by it. */
  begin(waiter: DurabilityWaiter): void {
    const line = begunLine(this.#lineHead, this.#admitted.inputTokens);
    this.#segment = this.#parts.journal.begin(line, waiter);
  }

  /** A try begins: what is used from now on is used there. */
  attemptSent(route: Route): void {
    this.#sentAt = performance.now();
    if (route === this.#route) return;
    this.#route = route;
    this.#lineHead = lineHead(this.#call, this.#beganAt, this.#admitted, route);
  }

  /** The try failed, and another follows. */
  attemptFailed(error: SluiceError): void {
    const ms = performance.now() - this.#sentAt;
    failedAt(error, this.#route);
    const line = attemptLine(this.#route, error.upstreamStatus, error.code, ms);
    this.#failedAttempts += this.#failedAttempts === '' ? line : `,${line}`;
    this.#sentAt = 0;
  }

  /** The provider begins to answer. @returns how long the try under way took to that, in milliseconds */
  markFirstToken(): number {
    this.#firstTokenAt = performance.now();
    this.#metrics.firstToken(this.#firstTokenAt - this.#call.startedAt);
    return this.#firstTokenAt - this.#sentAt;
  }

  /** Usage as far as it can be told from here. */
  estimate(outputTokens: number): TokenUsage {
    return tokensUsed(this.#admitted.inputTokens, outputTokens);
  }

  /** In nano-USD. */
  readonly costOf = (usage: TokenUsage): bigint => {
    const rates = this.#tierRates(usage)?.rates ?? this.#route.rates;
    return rates === null ? 0n : costNano(rates, usage);
  };

  /** Records the settle, and gives back what the limits held too much. The waiter is told when it is on disk. */
  settle(ending: Ending, waiter: DurabilityWaiter): void {
    const { inputTokens, outputTokens, cachedTokens, reasoningTokens } = ending.usage;
    this.#parts.limits.settle(this.#call.key, this.#reserved, inputTokens + outputTokens);
    this.#metrics.tokensUsed(inputTokens, outputTokens, cachedTokens, reasoningTokens);
    if (this.#admitted.streamed) this.#metrics.openStreams--;
    if (this.#segment === null) return;
    const head = this.#lineHead + tierMember(this.#tierRates(ending.usage));
    const line = settledLine(head, ending, this.#timing(), this.#attempts(ending));
    this.#parts.journal.settle(line, this.#segment, waiter);
  }

  /** The last that live watchers hear of it. */
  lastUpdate({ status, error, usage, cost, estimated, finishReason }: Ending): CompletionUpdate {
    if (status !== 'succeeded')
      return {
        type: 'failed',
        code: error?.code ?? 'aborted',
        message: error?.message ?? 'The caller went away.',
        aborted: status === 'aborted',
      };
    const durationMs = performance.now() - this.#call.startedAt;
    return {
      type: 'finished',
      finishReason,
      ...usage,
      estimated,
      costNano: cost,
      durationMs,
      firstTokenMs: this.#firstTokenMs,
    };
  }

  #timing(): Timing {
    return { durationMs: performance.now() - this.#call.startedAt, firstTokenMs: this.#firstTokenMs };
  }

  #attempts(ending: Ending): string {
    if (!this.sent) return this.#failedAttempts;
    const { status, error, httpStatus } = ending;
    const answered = status === 'succeeded' ? httpStatus : (error?.upstreamStatus ?? null);
    const last = attemptLine(this.#route, answered, error?.code ?? null, performance.now() - this.#sentAt);
    return this.#failedAttempts === '' ? last : `${this.#failedAttempts},${last}`;
  }

  #tierRates({ serviceTier }: TokenUsage): TierRates | null {
    return serviceTier === undefined ? null : (this.#route.ratesByTier?.get(serviceTier) ?? null);
  }

  get #firstTokenMs(): number | null {
    return this.#firstTokenAt === 0 ? null : this.#firstTokenAt - this.#call.startedAt;
  }
}
