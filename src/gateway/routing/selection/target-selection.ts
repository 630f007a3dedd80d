import type { SluiceError } from '../../../errors/index.ts';
import { classify, type FailureClass } from '../health/failure-class.ts';
import type { ConversationTarget } from './cache-affinity.ts';
import type { ResolvedRoute } from '../resolved-route.ts';
import { RoutingDecision } from './routing-decision.ts';
import type { RetryBudget } from '../health/retry-budget.ts';
import type { Target } from '../target.ts';
import { orderTargets, type RequestProperties } from './target-order.ts';

const FIRST_BACKOFF_MS = 250;
/** Longer waits are not retried: the client gets the provider's retry time. */
const MAX_WAIT_MS = 5_000;

/** The next attempt after a failure. */
export interface NextAttempt {
  readonly target: Target;
  readonly delayMs: number;
}

/** Selects the targets of one request in turn. Decides only; sends nothing. */
export class TargetSelection {
  readonly #route: ResolvedRoute;
  readonly #order: readonly Target[];
  readonly #allowed: ((target: Target) => boolean) | null;
  readonly #conversation: ConversationTarget | null;
  #at = 0;
  #retries = 0;
  #usedLarger = false;
  #trialTarget: Target | null = null;
  #isProbing = false;
  #attempts = 0;
  /** How targets were selected; null where there is one. */
  readonly decision: RoutingDecision | null;

  /**
   * @param allowed the targets that the key may use; null for all
   * @param conversation the target that has the conversation's prompt in its cache; null where that does not matter
   */
  constructor(
    route: ResolvedRoute,
    properties: RequestProperties,
    allowed: ((target: Target) => boolean) | null,
    conversation: ConversationTarget | null = null,
  ) {
    this.#route = route;
    this.#allowed = allowed;
    this.#conversation = conversation;
    const order = orderTargets(route, properties, { holds: conversation?.holds });
    this.#order = allowed === null ? order : order.filter(allowed);
    this.decision = route.listed.length === 1 ? null : this.#decisionFor(order);
  }

  /** Undefined where the key may use none. */
  get first(): Target | undefined {
    return this.#order[0];
  }

  #decisionFor(order: readonly Target[]): RoutingDecision {
    const { sticky, order: configured } = this.#route;
    const isHolder = order[0] !== undefined && this.#conversation?.holds(order[0]) === true;
    const decision = new RoutingDecision(isHolder ? 'conversation' : sticky ? 'sticky' : configured);
    for (const target of order)
      if (this.#allowed?.(target) === false) decision.skip(target, 'not_allowed');
      else if (target.health.isAvoided) decision.skip(target, 'cooling_down');
    return decision;
  }

  /** Records the start of an attempt. */
  onAttemptStarted(target: Target): void {
    this.#attempts++;
    this.decision?.onTried(target);
    this.#conversation?.record(target);
    this.#isProbing = target.health.onAttemptStarted();
  }

  /** Records a failed attempt. */
  recordFailure(target: Target, error: SluiceError): FailureClass {
    const failure = classify(error);
    if (failure === 'local') {
      this.recordInconclusive(target);
      return failure;
    }
    this.#endTrial(target);
    target.health.recordFailure(failure, error.retryAfterMs);
    return failure;
  }

  recordSuccess(target: Target): void {
    this.#endTrial(target);
    target.health.recordSuccess();
    this.#retryBudget?.recordSuccess();
  }

  /** Records an attempt without an outcome: the client disconnected, or it was never sent. */
  recordInconclusive(target: Target): void {
    this.#endTrial(target);
    target.health.recordInconclusive(this.#isProbing);
  }

  /**
   * Records an attempt that was not sent, because the request cannot be encoded for the provider.
   * @returns its class: after the first attempt, other targets may still accept the request
   */
  recordLocalRefusal(target: Target, error: SluiceError): FailureClass {
    this.recordInconclusive(target);
    const failure = classify(error);
    if (failure === 'local') return failure;
    return this.#attempts > 1 || error.code === 'internal_error' ? 'missing' : failure;
  }

  /**
   * Selects the next attempt after a failure.
   * @param resume called once where this returns 'wait': call `next` again then
   * @returns null where the failure is final
   */
  next(failed: Target, failure: FailureClass, error: SluiceError, resume: () => void): NextAttempt | 'wait' | null {
    if (failure === 'client' || failure === 'local') return null;
    if (failure === 'context') return this.#useLarger();
    for (let at = this.#at + 1; at < this.#order.length; at++) {
      const target = this.#order[at];
      if (target === undefined) break;
      const permission = target.health.requestTrial((works) => {
        // After a failed wait there is no earlier target to return to: all before this one were tried.
        if (!works) this.#at = Math.max(this.#at, at);
        resume();
      });
      if (permission === 'wait') return 'wait';
      if (permission === 'no') {
        this.decision?.skip(target, 'cooling_down');
        continue;
      }
      if (permission === 'trial') {
        this.#trialTarget = target;
        // While everything fails, trials are limited by the retry budget too.
        if (this.#retryBudget?.tryConsume() !== true) {
          this.#endTrial(target);
          target.health.recordInconclusive(false);
          this.decision?.skip(target, 'cooling_down');
          continue;
        }
      }
      this.#at = at;
      return { target, delayMs: 0 };
    }
    return this.#order.length === 1 ? this.#retry(failed, failure, error) : null;
  }

  /** Retries the same target after a delay, where there is no other. */
  #retry(target: Target, failure: FailureClass, error: SluiceError): NextAttempt | null {
    if (failure !== 'unavailable' && failure !== 'limited') return null;
    if (this.#retries >= this.#route.retries || target.health.breaker !== 'closed') return null;
    const backoff = FIRST_BACKOFF_MS * 2 ** this.#retries * (0.5 + Math.random());
    const delayMs = Math.max(backoff, error.retryAfterMs ?? 0);
    if (delayMs > MAX_WAIT_MS || this.#retryBudget?.tryConsume() !== true) return null;
    this.#retries++;
    return { target, delayMs };
  }

  get #retryBudget(): RetryBudget | undefined {
    return this.#route.listed[0]?.health.retryBudget;
  }

  #useLarger(): NextAttempt | null {
    const { larger } = this.#route;
    if (larger === null || this.#usedLarger || this.#allowed?.(larger) === false) return null;
    this.#usedLarger = true;
    return { target: larger, delayMs: 0 };
  }

  #endTrial(target: Target): void {
    if (this.#trialTarget !== target) return;
    this.#trialTarget = null;
    target.health.endTrial();
  }
}
