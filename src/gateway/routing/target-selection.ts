import type { SluiceError } from '../../errors/index.ts';
import { classify, type FailureClass } from './failure-class.ts';
import type { ResolvedRoute } from './resolved-route.ts';
import type { RetryBudget } from './retry-budget.ts';
import type { Target } from './target.ts';
import { orderTargets, type RequestFacts } from './target-order.ts';

const FIRST_BACKOFF_MS = 250;
/** A provider that wants more patience than this is not waited for: the caller is told when to come back. */
const MAX_WAIT_MS = 5_000;

/** What follows a failed try; null where the failure is the answer. */
export interface NextTry {
  readonly route: Target;
  readonly delayMs: number;
}

/** One request's way through the targets of its plan. Decides; sends nothing itself. */
export class TargetSelection {
  readonly #plan: ResolvedRoute;
  readonly #order: readonly Target[];
  readonly #allowed: ((route: Target) => boolean) | null;
  #at = 0;
  #retries = 0;
  #grown = false;
  #trialTarget: Target | null = null;
  #probing = false;
  #tries = 0;

  /** @param allowed which targets the key may use; null for all */
  constructor(plan: ResolvedRoute, facts: RequestFacts, allowed: ((route: Target) => boolean) | null) {
    this.#plan = plan;
    this.#allowed = allowed;
    const order = orderTargets(plan, facts);
    this.#order = allowed === null ? order : order.filter(allowed);
  }

  /** Undefined where the key may use none of them. */
  get first(): Target | undefined {
    return this.#order[0];
  }

  /** A try at `route` begins. */
  begun(route: Target): void {
    this.#tries++;
    this.#probing = route.health.begun();
  }

  /** Records the outcome of the try at `route`. */
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

  /** A try ends that says nothing of its target: its caller left, or it was never sent. */
  recordInconclusive(route: Target): void {
    this.#endTrial(route);
    route.health.recordInconclusive(this.#probing);
  }

  /**
   * A try that was not sent: the request cannot be put into the provider's words.
   * @returns what it is taken for: where it is not the first try, others may take it still
   */
  refusedLocally(route: Target, error: SluiceError): FailureClass {
    this.recordInconclusive(route);
    return this.#tries > 1 || error.code === 'internal_error' ? 'missing' : classify(error);
  }

  /**
   * What follows a failed try.
   * @param resume called once where this returns 'wait': the decision is to be asked for again
   */
  next(failed: Target, failure: FailureClass, error: SluiceError, resume: () => void): NextTry | 'wait' | null {
    if (failure === 'caller') return null;
    if (failure === 'context') return this.#grow();
    for (let at = this.#at + 1; at < this.#order.length; at++) {
      const route = this.#order[at];
      if (route === undefined) break;
      const taken = route.health.requestTrial((works) => {
        // Those that waited in vain have no second choice left: what comes after this target was asked before it.
        if (!works) this.#at = Math.max(this.#at, at);
        resume();
      });
      if (taken === 'wait') return 'wait';
      if (taken === 'no') continue;
      if (taken === 'trial') {
        this.#trialTarget = route;
        // When everything fails, what finds out whether anything works must run dry too.
        if (this.#budget?.take() !== true) {
          this.#endTrial(route);
          route.health.recordInconclusive(false);
          continue;
        }
      }
      this.#at = at;
      return { route, delayMs: 0 };
    }
    return this.#order.length === 1 ? this.#again(failed, failure, error) : null;
  }

  /** The same target once more, after a while: there is no other. */
  #again(route: Target, failure: FailureClass, error: SluiceError): NextTry | null {
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

  #grow(): NextTry | null {
    const { larger } = this.#plan;
    if (larger === null || this.#grown || this.#allowed?.(larger) === false) return null;
    this.#grown = true;
    return { route: larger, delayMs: 0 };
  }

  #endTrial(route: Target): void {
    if (this.#trialTarget !== route) return;
    this.#trialTarget = null;
    route.health.trialEnded();
  }
}
