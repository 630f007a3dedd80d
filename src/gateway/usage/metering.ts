import { withoutCache } from '../../catalogue/prices/explain-cost.ts';
import { costNano } from '../../catalogue/prices/price.ts';
import type { Call, RequestDependencies } from '../call.ts';
import { tokenUsage, type Pricing, type TokenUsage } from '../capabilities/capability.ts';
import type { FallbackLimits, Refusal } from '../limits/fallback-limits.ts';
import type { Reservation } from '../limits/limit-store.ts';
import type { Segment } from './journal/segment.ts';
import { fallbackLimitsOf, rerunMember, type MeteredRequest } from './metered-request.ts';
import type { CapabilityMetrics } from '../metrics/metrics.ts';
import { SluiceError } from '../../errors/index.ts';
import type { Target } from '../routing/target.ts';
import { billedUsage, hasUsed, ratesFor, servedRates, tierRates } from './billed-usage.ts';
import { AttemptMeter } from './attempts/attempt-meter.ts';
import { RequestTimes } from './request-times.ts';
import { whenWritten } from './journal/durability-waiter.ts';
import { lineHead, ownMembers, savingsMember, servedMember, settledLine, tierMember } from './usage-line.ts';
import type { RequestOutcome } from './usage-record.ts';

/** Meters one admitted request: its times, journal records, price and reservations. */
export class Metering implements Pricing {
  readonly attempts: AttemptMeter;
  readonly times: RequestTimes;
  readonly #dependencies: RequestDependencies;
  readonly #call: Call;
  readonly #metrics: CapabilityMetrics;
  readonly #admitted: MeteredRequest;
  readonly #reservation: Reservation;
  readonly #ownMembers: string;
  /** Null where its key has no model limits. */
  readonly #fallbackLimits: FallbackLimits | null;
  #target: Target;
  /** The last target that failed; null for none. */
  #failedTarget: Target | null = null;
  /** Where the begin record is; null before it, and once it is settled. */
  #segment: Segment | null = null;
  #isReleased = false;

  constructor(
    dependencies: RequestDependencies,
    call: Call,
    metrics: CapabilityMetrics,
    admitted: MeteredRequest,
    reservation: Reservation,
  ) {
    this.attempts = new AttemptMeter(dependencies, call);
    this.times = new RequestTimes(dependencies.clock, call.startedAt);
    this.#dependencies = dependencies;
    this.#call = call;
    this.#metrics = metrics;
    this.#admitted = admitted;
    this.#reservation = reservation;
    this.#target = admitted.target;
    this.#ownMembers = ownMembers(call, reservation.at, admitted);
    this.#fallbackLimits = fallbackLimitsOf(dependencies, call, admitted, reservation);
    if (admitted.streamed) metrics.openStreams++;
  }

  /** Whether the request may have reached a provider by an attempt that has not failed. */
  get mayHaveReachedProvider(): boolean {
    return this.attempts.sentAt > 0;
  }

  /** Estimated. */
  get inputTokens(): number {
    return this.#admitted.inputTokens;
  }

  /**
   * Writes the begin record, which settles the request if this process dies. Resolves when it is on disk.
   * @throws SluiceError metering_unavailable (as the promise's rejection)
   */
  begin(): Promise<void> {
    const { journal } = this.#dependencies;
    const head = lineHead(journal, this.#call, this.#admitted.target, this.#admitted);
    const line = `${head}${this.#ownMembers}${rerunMember(this.#call)},"input_tokens":${this.#admitted.inputTokens}}`;
    return new Promise((onDurable, reject) => {
      const onJournalFailure = (cause: Error): void =>
        reject(new SluiceError('metering_unavailable', { retryAfterMs: 1_000, cause }));
      this.#segment = journal.begin(line, { onDurable, onJournalFailure });
    });
  }

  /** Reserves the key's limits for a target's model. */
  reserveModelLimits({ model }: Target): Refusal | Promise<Refusal> {
    return this.#fallbackLimits === null ? null : this.#fallbackLimits.reserve(model);
  }

  /** Starts an attempt at a target, to which usage counts unless `recordUnsentAttempt` is called. */
  startAttempt(target: Target): void {
    this.attempts.start();
    this.#call.span?.startAttempt();
    this.#target = target;
  }

  /** The attempt ended before its request was sent: it is not billed. */
  recordUnsentAttempt(): void {
    this.attempts.sentAt = 0;
  }

  /** Records a failed attempt. @param isLocal whether its target was not sent the request: it is another one's failure then */
  recordFailedAttempt(error: SluiceError, isLocal: boolean): void {
    this.attempts.recordFailure(this.#target, error);
    if (!isLocal) this.#failedTarget = this.#target;
    else if (this.#failedTarget !== null) this.#target = this.#failedTarget;
  }

  /** Records the first token. @returns its time since the attempt started, in milliseconds */
  markFirstToken(): number {
    const ms = this.times.markFirstToken();
    this.#metrics.firstToken(ms);
    return this.#call.startedAt + ms - this.attempts.sentAt;
  }

  /** Estimated usage. */
  estimate(outputTokens: number): TokenUsage {
    return tokenUsage(this.#admitted.inputTokens, outputTokens);
  }

  costOf(reported: TokenUsage): bigint {
    const usage = billedUsage(reported, this.#call.serviceTier);
    const rates = ratesFor(this.#target, usage);
    return rates === null ? 0n : costNano(rates, usage, this.#call.key.plan.markupPpm);
  }

  #savingsOf({ status, usage, cost }: RequestOutcome): bigint {
    const { cachedCostNano } = this.#target;
    if (cachedCostNano !== undefined) return status === 'succeeded' ? cachedCostNano : 0n;
    if (usage.cachedTokens === 0 && usage.cacheWriteTokens === 0) return 0n;
    const rates = ratesFor(this.#target, usage);
    return rates === null ? 0n : costNano(rates, withoutCache(usage), this.#call.key.plan.markupPpm) - cost;
  }

  /**
   * Writes the settle record and releases the rest of the reservations. Resolves when the record is on disk, or kept in
   * memory because the journal cannot be written: the client does not wait for that. Undefined where none is written.
   * Of several outcomes, the first one counts.
   */
  recordOutcome(outcome: RequestOutcome): Promise<void> | undefined {
    const usage = billedUsage(outcome.usage, this.#call.serviceTier);
    const ending = usage === outcome.usage ? outcome : { ...outcome, usage };
    if (!this.#isReleased) this.#release(ending);
    const segment = this.#segment;
    if (segment === null) return;
    const { journal } = this.#dependencies;
    if (ending.status === 'rejected') return this.#withdraw(segment);
    const head = lineHead(journal, this.#call, this.#target, this.#admitted) + this.#ownMembers;
    const served = servedRates(this.#target, ending.usage);
    const rates = served === null ? tierMember(tierRates(this.#target, ending.usage)) : servedMember(served);
    const now = this.#dependencies.clock.monotonic();
    const timing = this.times.until(now);
    const attempts = this.attempts.lines(this.#target, ending, now);
    const line = settledLine(
      head + rates + savingsMember(this.#savingsOf(ending)),
      ending,
      timing,
      attempts,
      served !== null,
      this.#admitted.decision,
    );
    this.#segment = null;
    const written = whenWritten((waiter) => journal.appendSettleRecord(line, segment, waiter));
    this.#call.span?.settled({
      admitted: this.#admitted,
      target: this.#target,
      outcome: ending,
      timing,
      attemptMs: this.attempts.sentAt === 0 ? null : now - this.attempts.sentAt,
      attempts,
    });
    return written;
  }

  /** A rejected request is recorded with others, in bounded number. */
  #withdraw(segment: Segment): Promise<void> {
    this.#segment = null;
    return whenWritten((waiter) => this.#dependencies.journal.withdraw(this.#call.eventId, segment, waiter));
  }

  #release(ending: RequestOutcome): void {
    this.#isReleased = true;
    const { inputTokens, outputTokens, cachedTokens, reasoningTokens } = ending.usage;
    const tokens = inputTokens + outputTokens;
    const unserved = this.#fallbackLimits?.settle(this.#target.model, tokens);
    this.#dependencies.limits.settle(this.#call.key, this.#reservation, { tokens, costNano: ending.cost, unserved });
    this.#metrics.tokensUsed(inputTokens, outputTokens, cachedTokens, reasoningTokens);
    if (hasUsed(ending)) this.#call.response.markUsed?.();
    if (this.#admitted.streamed) this.#metrics.openStreams--;
    // No provider was called: its counters are not affected.
    if (ending.status === 'rejected') return;
    const failure = ending.status === 'succeeded' ? null : (ending.error?.code ?? ending.status);
    this.#dependencies.metrics.targets
      .of(this.#target, this.#admitted.routeName)
      .ended(failure, this.times.firstTokenMs);
  }
}
