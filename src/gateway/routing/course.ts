import type { SluiceError } from '../../errors/index.ts';
import { classify, type FailureClass } from './failure-class.ts';
import type { Plan } from './plan.ts';
import type { RetryBudget } from './retry-budget.ts';
import type { Route } from './route.ts';
import { orderTargets, type RequestFacts } from './target-order.ts';

const FIRST_BACKOFF_MS = 250;
/** A provider that wants more patience than this is not waited for: the caller is told when to come back. */
const LONGEST_WAIT_MS = 5_000;

/** What follows a failed try; null where the failure is the answer. */
export interface NextTry {
  readonly route: Route;
  readonly delayMs: number;
}

/** One request's way through the targets of its plan. Decides; sends nothing itself. */
export class Course {
  readonly #plan: Plan;
  readonly #order: readonly Route[];
  readonly #allowed: ((route: Route) => boolean) | null;
  #at = 0;
  #retries = 0;
  #grown = false;
  #scoutedAt: Route | null = null;
  #probing = false;
  #tries = 0;

  /** @param allowed which targets the key may use; null for all */
  constructor(plan: Plan, facts: RequestFacts, allowed: ((route: Route) => boolean) | null) {
    this.#plan = plan;
    this.#allowed = allowed;
    const order = orderTargets(plan, facts);
    this.#order = allowed === null ? order : order.filter(allowed);
  }

  /** Undefined where the key may use none of them. */
  get first(): Route | undefined {
    return this.#order[0];
  }

  /** A try at `route` begins. */
  begun(route: Route): void {
    this.#tries++;
    this.#probing = route.health.begun();
  }

  /** Records the outcome of the try at `route`. */
  failed(route: Route, error: SluiceError): FailureClass {
    const failure = classify(error);
    this.#scoutReturns(route);
    route.health.failed(failure, error.retryAfterMs);
    return failure;
  }

  succeeded(route: Route): void {
    this.#scoutReturns(route);
    route.health.succeeded();
    this.#budget?.succeeded();
  }

  /** A try ends that says nothing of its target: its caller left, or it was never sent. */
  leftOpen(route: Route): void {
    this.#scoutReturns(route);
    route.health.leftOpen(this.#probing);
  }

  /**
   * A try that was not sent: the request cannot be put into the provider's words.
   * @returns what it is taken for: where it is not the first try, others may take it still
   */
  refusedHere(route: Route, error: SluiceError): FailureClass {
    this.leftOpen(route);
    return this.#tries > 1 || error.code === 'internal_error' ? 'missing' : classify(error);
  }

  /**
   * What follows a failed try.
   * @param resume called once where this returns 'wait': the decision is to be asked for again
   */
  next(failed: Route, failure: FailureClass, error: SluiceError, resume: () => void): NextTry | 'wait' | null {
    if (failure === 'caller') return null;
    if (failure === 'context') return this.#grow();
    for (let at = this.#at + 1; at < this.#order.length; at++) {
      const route = this.#order[at];
      if (route === undefined) break;
      const taken = route.health.takeIn((works) => {
        // Those that waited in vain have no second choice left: what comes after this target was asked before it.
        if (!works) this.#at = Math.max(this.#at, at);
        resume();
      });
      if (taken === 'wait') return 'wait';
      if (taken === 'no') continue;
      if (taken === 'scout') {
        this.#scoutedAt = route;
        // When everything fails, what finds out whether anything works must run dry too.
        if (this.#budget?.take() !== true) {
          this.#scoutReturns(route);
          route.health.leftOpen(false);
          continue;
        }
      }
      this.#at = at;
      return { route, delayMs: 0 };
    }
    return this.#order.length === 1 ? this.#again(failed, failure, error) : null;
  }

  /** The same target once more, after a while: there is no other. */
  #again(route: Route, failure: FailureClass, error: SluiceError): NextTry | null {
    if (failure !== 'unavailable' && failure !== 'limited') return null;
    if (this.#retries >= this.#plan.retries || route.health.breaker !== 'closed') return null;
    const backoff = FIRST_BACKOFF_MS * 2 ** this.#retries * (0.5 + Math.random());
    const delayMs = Math.max(backoff, error.retryAfterMs ?? 0);
    if (delayMs > LONGEST_WAIT_MS || this.#budget?.take() !== true) return null;
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

  #scoutReturns(route: Route): void {
    if (this.#scoutedAt !== route) return;
    this.#scoutedAt = null;
    route.health.scoutReturned();
  }
}
