import type { PlanCatalogue } from '../plans/plan.ts';
import { nextPeriod, type BilledAccount, type BillingPeriod } from './billing-period.ts';

export interface Periods {
  readonly present: BillingPeriod;
  /** Those that are over, oldest first. */
  readonly unbilled: readonly BillingPeriod[];
}

/** The billing period around a moment, and those before it that are not billed yet. */
export function periodsAt(account: BilledAccount, plans: PlanCatalogue, now: number): Periods {
  const unbilled: BillingPeriod[] = [];
  let present = nextPeriod(account, plans);
  // Those of an erased account end where they begin.
  while (present.end <= now && present.end > present.start) {
    unbilled.push(present);
    present = nextPeriod({ ...account, closedUntil: present.end, begunWith: present.nextPlan }, plans);
  }
  return { present, unbilled };
}
