import type { PlanTerms, RateLimits } from '../../gateway/keys/key-directory.ts';

/** When an account's allowance resets. */
export type PlanPeriod = 'month' | '30_days';

/** The limits and prices of an account. */
export interface Plan {
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly period: PlanPeriod;
  /** Per API key: the default and the maximum; `Infinity` for no limit. */
  readonly limits: RateLimits;
  /** For all API keys of an account together; null for no limit. */
  readonly accountLimits: RateLimits | null;
  /** API keys of an account that are not revoked; `Infinity` for no limit. */
  readonly maxApiKeys: number;
  /** Nano-USD per period. */
  readonly feeNano: bigint;
  /** Included usage in nano-USD per period. */
  readonly allowanceNano: bigint;
  /** How long the usage log is retained, in days; null for ever. */
  readonly retentionDays: number | null;
  /** Whether owners may select it themselves. */
  readonly offered: boolean;
  readonly terms: PlanTerms;
}

/** The configured plans; replaced by another instance when the configuration changes. */
export class PlanCatalogue {
  /** In display order. */
  readonly plans: readonly Plan[];
  /** The plan of accounts that sign up. */
  readonly defaultPlan: Plan;
  readonly #byId: ReadonlyMap<string, Plan>;

  /** @throws RangeError if `plans` does not contain the default plan */
  constructor(plans: readonly Plan[], defaultId: string) {
    this.plans = plans;
    this.#byId = new Map(plans.map((plan) => [plan.id, plan]));
    const found = this.#byId.get(defaultId);
    if (found === undefined) throw new RangeError(`no plan: ${defaultId}`);
    this.defaultPlan = found;
  }

  find(id: string): Plan | undefined {
    return this.#byId.get(id);
  }

  /** An account's plan; the default one if the account's plan is no longer configured. */
  of(id: string): Plan {
    return this.#byId.get(id) ?? this.defaultPlan;
  }

  /**
   * Whether a change takes effect immediately: to a plan that costs more or, at the same price, is listed later. Never from a
   * plan that is not offered: its account could not return to it, so the change can be cancelled until the period's end.
   */
  isUpgrade(from: Plan, to: Plan): boolean {
    if (!from.offered) return false;
    if (from.feeNano !== to.feeNano) return to.feeNano > from.feeNano;
    return this.plans.indexOf(to) > this.plans.indexOf(from);
  }
}

/** A key's limits, capped by those of its plan. */
export function within(limits: RateLimits, plan: RateLimits): RateLimits {
  return Object.freeze({
    requestsPerMinute: Math.min(limits.requestsPerMinute, plan.requestsPerMinute),
    tokensPerMinute: Math.min(limits.tokensPerMinute, plan.tokensPerMinute),
    requestsPerDay: Math.min(limits.requestsPerDay, plan.requestsPerDay),
    concurrency: Math.min(limits.concurrency, plan.concurrency),
  });
}
