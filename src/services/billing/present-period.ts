import type { PlanCatalogue } from '../plans/plan.ts';
import { nextPeriod, type BilledAccount, type BillingPeriod } from './billing-period.ts';

export interface Periods {
  readonly present: BillingPeriod;
  /** Periods that ended, oldest first. */
  readonly unbilled: readonly BillingPeriod[];
}

/** The current billing period, and earlier ones that are not billed yet. */
export function periodsAt(account: BilledAccount, plans: PlanCatalogue, now: number): Periods {
  const unbilled: BillingPeriod[] = [];
  let present = nextPeriod(account, plans);
  // Periods of an erased account are empty.
  while (present.end <= now && present.end > present.start) {
    unbilled.push(present);
    present = nextPeriod({ ...account, closedUntil: present.end, begunWith: present.nextPlan }, plans);
  }
  return { present, unbilled };
}
