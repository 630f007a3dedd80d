import { costNano } from '../catalogue/price.ts';
import { attemptFailure } from './attempt-failure.ts';
import type { Call, ExchangeParts } from './call.ts';
import type { CompletionUpdate } from '../live/events.ts';
import { tokensUsed, type Pricing, type StreamRelay, type TokenUsage } from './capabilities/capability.ts';
import { insufficientQuota, type SpendBound } from './limits/budget.ts';
import { FallbackLimits, type Refusal } from './limits/fallback-limits.ts';
import type { Reservation } from './limits/limit-store.ts';
import type { Segment } from './journal/segment.ts';
import type { DurabilityWaiter } from './journal/usage-journal.ts';
import { failedAt } from './log-failure.ts';
import type { CapabilityMetrics } from './metrics.ts';
import { toSluiceError, type SluiceError } from '../errors/index.ts';
import type { Target, ServedRates, TierRates } from './routing/target.ts';
import {
  hasUsed,
  attemptLine,
  lineHead,
  ownMembers,
  servedMember,
  settledLine,
  tierMember,
  type Admitted,
  type RequestOutcome,
} from './usage-line.ts';

const BYTES_PER_TOKEN = 4;
/** A stream without a bound takes so much of its budgets at a time. */
export const STREAM_STEP_TOKENS = 1_024;

/** A body's tokens, roughly: counting them exactly would cost more than relaying them. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** What can be ended from our side. */
interface Terminable {
  terminate(error: SluiceError): void;
}

/** Keeps account of one admitted request: its times, its records in the journal, its price, what its limits hold. */
export class Metering implements Pricing {
  readonly #parts: ExchangeParts;
  readonly #call: Call;
  readonly #metrics: CapabilityMetrics;
  readonly #admitted: Admitted;
  readonly #hold: Reservation;
  readonly #ownMembers: string;
  /** Null where its key has no limits of single models. */
  readonly #fallbackLimits: FallbackLimits | null;
  #route: Target;
  /** Tries that failed before the one under way, as members of a JSON array. */
  #failedAttempts = '';
  #segment: Segment | null = null;
  #sentAt = 0;
  #firstTokenAt = 0;
  #extending = false;

  constructor(parts: ExchangeParts, call: Call, metrics: CapabilityMetrics, admitted: Admitted, hold: Reservation) {
    this.#parts = parts;
    this.#call = call;
    this.#metrics = metrics;
    this.#admitted = admitted;
    this.#hold = hold;
    this.#route = admitted.route;
    this.#ownMembers = ownMembers(call, hold.at, admitted);
    this.#fallbackLimits = fallbackLimitsOf(parts, call, admitted, hold);
    if (admitted.streamed) metrics.openStreams++;
  }

  /** Whether a try is under way. */
  get isSent(): boolean {
    return this.#sentAt > 0;
  }

  /** Whether budgets have to hold for it. */
  get isBudgeted(): boolean {
    return this.#call.key.budgets.length > 0;
  }

  /** Estimated. */
  get inputTokens(): number {
    return this.#admitted.inputTokens;
  }

  /** 0 where nothing came yet. */
  get sinceFirstTokenMs(): number {
    return this.#firstTokenAt === 0 ? 0 : this.#parts.clock.monotonic() - this.#firstTokenAt;
  }

  /** Records the begin: should this process die, the request is settled by it. */
  begin(waiter: DurabilityWaiter): void {
    const { journal } = this.#parts;
    const head = lineHead(journal, this.#call, this.#admitted.route, this.#admitted);
    this.#segment = journal.begin(`${head}${this.#ownMembers},"input_tokens":${this.#admitted.inputTokens}}`, waiter);
  }

  /** Takes of the limits that its key has for a target's model. */
  admit({ model }: Target): Refusal | Promise<Refusal> {
    return this.#fallbackLimits === null ? null : this.#fallbackLimits.take(model);
  }

  /** A try begins: what is used from now on is used there. */
  attemptSent(route: Target): void {
    this.#sentAt = this.#parts.clock.monotonic();
    this.#route = route;
  }

  /** The try failed, and another follows. */
  attemptFailed(error: SluiceError): void {
    const ms = this.#parts.clock.monotonic() - this.#sentAt;
    failedAt(error, this.#route);
    const line = attemptLine(this.#route, error.upstreamStatus, this.#failure(error), ms);
    this.#failedAttempts += this.#failedAttempts === '' ? line : `,${line}`;
    this.#sentAt = 0;
  }

  /** The provider begins to answer. @returns how long the try under way took to that, in milliseconds */
  markFirstToken(): number {
    this.#firstTokenAt = this.#parts.clock.monotonic();
    this.#metrics.firstToken(this.#firstTokenAt - this.#call.startedAt);
    return this.#firstTokenAt - this.#sentAt;
  }

  /** Usage as far as it can be told from here. */
  estimate(outputTokens: number): TokenUsage {
    return tokensUsed(this.#admitted.inputTokens, outputTokens);
  }

  costOf(usage: TokenUsage): bigint {
    const rates = (this.#servedRates(usage) ?? this.#tierRates(usage))?.rates ?? this.#route.rates;
    return rates === null ? 0n : costNano(rates, usage, this.#call.key.plan.markupPpm);
  }

  /**
   * A stream without a bound of its caller's goes on as long as its key's budgets have room for another step of it; then it is
   * ended. What it has said so far is paid for.
   */
  ensureBudget(relay: StreamRelay | null, stream: Terminable): void {
    if (relay === null || this.#extending) return;
    const step = this.costOf(tokensUsed(0, STREAM_STEP_TOKENS));
    const { costNano: held } = this.#hold;
    const cost = this.costOf(this.estimate(relay.estimatedOutputTokens));
    // Half a step ahead; of what is held for less than a step, half of that. What is held for a bounded one is all that it can
    // cost, unless its provider does not keep to the bound: our count of its tokens is rough.
    const ahead = (held < step ? held : step) / 2n;
    const needed = this.#admitted.isBounded ? cost - held * 2n : cost + ahead - held;
    if (needed <= 0n) return;
    const more = needed > step ? needed : step;
    const endIfFull = (full: SpendBound | null): void => {
      this.#extending = false;
      if (full !== null) stream.terminate(insufficientQuota(full, more, this.#parts.clock.now()));
    };
    const extending = this.#parts.limits.extend(this.#call.key, this.#hold, more);
    if (!(extending instanceof Promise)) return endIfFull(extending);
    this.#extending = true;
    extending.then(endIfFull, (error: unknown) => stream.terminate(toSluiceError(error)));
  }

  /** Records the settle, and gives back what the limits held too much. The waiter is told when it is on disk. */
  settle(ending: RequestOutcome, waiter: DurabilityWaiter): void {
    const { inputTokens, outputTokens, cachedTokens, reasoningTokens } = ending.usage;
    const tokens = inputTokens + outputTokens;
    const unserved = this.#fallbackLimits?.settle(this.#route.model, tokens);
    this.#parts.limits.settle(this.#call.key, this.#hold, { tokens, costNano: ending.cost, unserved });
    this.#metrics.tokensUsed(inputTokens, outputTokens, cachedTokens, reasoningTokens);
    if (hasUsed(ending)) this.#call.outlet.markUsed?.();
    if (this.#admitted.streamed) this.#metrics.openStreams--;
    const failure = ending.status === 'succeeded' ? null : (ending.error?.code ?? ending.status);
    this.#parts.metrics.targets.of(this.#route, this.#admitted.routeName).ended(failure, this.#firstTokenMs);
    if (this.#segment === null) return;
    const { journal } = this.#parts;
    const head = lineHead(journal, this.#call, this.#route, this.#admitted) + this.#ownMembers;
    const served = this.#servedRates(ending.usage);
    const rates = served === null ? tierMember(this.#tierRates(ending.usage)) : servedMember(served);
    const now = this.#parts.clock.monotonic();
    const timing = { durationMs: now - this.#call.startedAt, firstTokenMs: this.#firstTokenMs };
    const line = settledLine(head + rates, ending, timing, this.#attempts(ending, now), served !== null);
    journal.settle(line, this.#segment, waiter);
  }

  /** The last that live watchers hear of it. */
  lastUpdate({ status, error, usage, cost, estimated, finishReason }: RequestOutcome): CompletionUpdate {
    const { inputTokens, outputTokens, cachedTokens, reasoningTokens } = usage;
    const used = { inputTokens, outputTokens, cachedTokens, reasoningTokens, estimated, costNano: cost };
    if (status !== 'succeeded')
      return {
        type: 'failed',
        code: error?.code ?? 'aborted',
        message: error?.message ?? 'The caller went away.',
        aborted: status === 'aborted',
        used,
      };
    const durationMs = this.#parts.clock.monotonic() - this.#call.startedAt;
    return {
      type: 'finished',
      finishReason,
      ...used,
      durationMs,
      firstTokenMs: this.#firstTokenMs,
    };
  }

  #attempts(ending: RequestOutcome, now: number): string {
    if (!this.isSent) return this.#failedAttempts;
    const { status, error, httpStatus } = ending;
    const answered = status === 'succeeded' ? httpStatus : (error?.upstreamStatus ?? null);
    const failure = error === null ? null : this.#failure(error);
    const last = attemptLine(this.#route, answered, failure, now - this.#sentAt);
    return this.#failedAttempts === '' ? last : `${this.#failedAttempts},${last}`;
  }

  #failure(error: SluiceError): Parameters<typeof attemptLine>[2] {
    const keepsContent = this.#call.key.zeroRetention !== true;
    return { code: error.code, ...attemptFailure(error, this.#route.connection, keepsContent) };
  }

  #tierRates({ serviceTier }: TokenUsage): TierRates | null {
    return serviceTier === undefined ? null : (this.#route.ratesByTier?.get(serviceTier) ?? null);
  }

  /** Where the provider says that a model answered whose price is another. */
  #servedRates({ servedModel, serviceTier }: TokenUsage): ServedRates | null {
    return servedModel === undefined ? null : this.#route.servedAs(servedModel, serviceTier);
  }

  get #firstTokenMs(): number | null {
    return this.#firstTokenAt === 0 ? null : this.#firstTokenAt - this.#call.startedAt;
  }
}

function fallbackLimitsOf(
  { limits }: ExchangeParts,
  { key }: Call,
  { capability, requestedModel, route: { model } }: Admitted,
  hold: Reservation,
): FallbackLimits | null {
  if (!key.partLimits || key.partLimits.models.size === 0) return null;
  return new FallbackLimits(limits, key, { capability, requestedModel, model }, hold);
}
