import type { SluiceError } from '../../errors/index.ts';
import { classify, type FailureClass } from './health/failure-class.ts';
import type { ResolvedRoute } from './resolved-route.ts';
import type { RetryBudget } from './health/retry-budget.ts';
import type { Target } from './target.ts';
import { orderTargets, type RequestFacts } from './target-order.ts';

const FIRST_BACKOFF_MS = 250;
/** Longer waits are not retried: the client gets the provider's retry time. */
const MAX_WAIT_MS = 5_000;

/** The next attempt after a failure. */
export interface NextTry {
  readonly route: Target;
  readonly delayMs: number;
}

/** Selects the targets of one request in turn. Decides only; sends nothing. */
export class TargetSelection {
  readonly #plan: ResolvedRoute;
  readonly #order: readonly Target[];
  readonly #allowed: ((route: Target) => boolean) | null;
  #at = 0;
  #retries = 0;
  #usedLarger = false;
  #trialTarget: Target | null = null;
  #probing = false;
  #tries = 0;

  /** @param allowed the targets that the key may use; null for all */
  constructor(plan: ResolvedRoute, facts: RequestFacts, allowed: ((route: Target) => boolean) | null) {
    this.#plan = plan;
    this.#allowed = allowed;
    const order = orderTargets(plan, facts);
    this.#order = allowed === null ? order : order.filter(allowed);
  }

  /** Undefined where the key may use none. */
  get first(): Target | undefined {
    return this.#order[0];
  }

  /** Records the start of an attempt. */
  onAttemptStarted(route: Target): void {
    this.#tries++;
    this.#probing = route.health.onAttemptStarted();
  }

  /** Records a failed attempt. */
  failed(route: Target, error: SluiceError): FailureClass {
    const failure = classify(error);
    this.#endTrial(route);
    route.health.failed(failure, error.retryAfterMs);
    return failure;
  }

  succeeded(route: Target): void {
    this.#endTrial(route);
    route.health.succeeded();
    this.#budget?.succeeded();
  }

  /** Records an attempt without an outcome: the client disconnected, or it was never sent. */
  recordInconclusive(route: Target): void {
    this.#endTrial(route);
    route.health.recordInconclusive(this.#probing);
  }

  /**
   * Records an attempt that was not sent, because the request cannot be encoded for the provider.
   * @returns its class: after the first attempt, other targets may still accept the request
   */
  refusedLocally(route: Target, error: SluiceError): FailureClass {
    this.recordInconclusive(route);
    return this.#tries > 1 || error.code === 'internal_error' ? 'missing' : classify(error);
  }

  /**
   * Selects the next attempt after a failure.
   * @param resume called once where this returns 'wait': call `next` again then
   * @returns null where the failure is final
   */
  next(failed: Target, failure: FailureClass, error: SluiceError, resume: () => void): NextTry | 'wait' | null {
    if (failure === 'caller') return null;
    if (failure === 'context') return this.#useLarger();
    for (let at = this.#at + 1; at < this.#order.length; at++) {
      const route = this.#order[at];
      if (route === undefined) break;
      const permission = route.health.requestTrial((works) => {
        // After a failed wait there is no earlier target to return to: all before this one were tried.
        if (!works) this.#at = Math.max(this.#at, at);
        resume();
      });
      if (permission === 'wait') return 'wait';
      if (permission === 'no') continue;
      if (permission === 'trial') {
        this.#trialTarget = route;
        // While everything fails, trials are limited by the retry budget too.
        if (this.#budget?.take() !== true) {
          this.#endTrial(route);
          route.health.recordInconclusive(false);
          continue;
        }
      }
      this.#at = at;
      return { route, delayMs: 0 };
    }
    return this.#order.length === 1 ? this.#retry(failed, failure, error) : null;
  }

  /** Retries the same target after a delay, where there is no other. */
  #retry(route: Target, failure: FailureClass, error: SluiceError): NextTry | null {
    if (failure !== 'unavailable' && failure !== 'limited') return null;
    if (this.#retries >= this.#plan.retries || route.health.breaker !== 'closed') return null;
    const backoff = FIRST_BACKOFF_MS * 2 ** this.#retries * (0.5 + Math.random());
    const delayMs = Math.max(backoff, error.retryAfterMs ?? 0);
    if (delayMs > MAX_WAIT_MS || this.#budget?.take() !== true) return null;
    this.#retries++;
    return { route, delayMs };
  }

  get #budget(): RetryBudget | undefined {
    return this.#plan.listed[0]?.health.budget;
  }

  #useLarger(): NextTry | null {
    const { larger } = this.#plan;
    if (larger === null || this.#usedLarger || this.#allowed?.(larger) === false) return null;
    this.#usedLarger = true;
    return { route: larger, delayMs: 0 };
  }

  #endTrial(route: Target): void {
    if (this.#trialTarget !== route) return;
    this.#trialTarget = null;
    route.health.trialEnded();
  }
}
