import { calendarPeriod, rollingPeriod, type Period } from '../../calendar/period.ts';
import type { Plan, PlanBook } from '../plans/plan.ts';
import { ROLLING_DAYS } from '../plans/plan-period.ts';
import { proratedNano } from '../plans/proration.ts';

/** A change of plans, as it was recorded. */
export interface RecordedChange {
  readonly fromPlan: string;
  readonly toPlan: string;
  /** Milliseconds since the epoch. */
  readonly effectiveAt: number;
  /** Nano-USD that it makes due. */
  readonly amountNano: bigint;
}

/** What an account's periods hang on. Moments in milliseconds since the epoch. */
export interface BilledAccount {
  readonly plan: string;
  readonly timeZone: string;
  readonly createdAt: number;
  readonly planSince: number;
  /** Oldest first. */
  readonly changes: readonly RecordedChange[];
  /** Where the last period that was closed ended; null where none was. */
  readonly closedUntil: number | null;
}

export interface BillingPeriod extends Period {
  /** What it began with. */
  readonly plan: Plan;
  /** Nano-USD that are due because it began. */
  readonly feeNano: bigint;
  /** What it ended with, whose allowance counts. */
  readonly lastPlan: Plan;
  readonly changes: readonly RecordedChange[];
}

/** From its moment on, up to the next one's. */
interface Stretch {
  readonly from: number;
  readonly plan: Plan;
  /** Since when periods are counted as they are there. */
  readonly since: number;
}

/** An account that sets its clocks anew moves the ends of its months by this much at most. */
const CLOCKS_APART_MS = 36 * 3_600_000;

/**
 * The period that is to be billed next: it begins where the last one ended. It ends where the plan's own period does, or where a
 * change of plans begins periods of another kind. Where the account's clocks were changed, a month is longer or shorter by the
 * difference: no moment is billed twice, or never.
 */
export function nextPeriod(account: BilledAccount, plans: PlanBook): BillingPeriod {
  const stretches = stretchesOf(account, plans);
  const begun = stretches[0]?.from ?? account.planSince;
  const start = account.closedUntil ?? begun;
  const now = at(stretches, start);
  const own = ownPeriod(now, start, account.timeZone);
  const cut = stretches.find(({ from, since }) => from > start && since > now.since)?.from ?? Infinity;
  const end = Math.min(own.end, cut);
  return {
    start,
    end,
    plan: now.plan,
    feeNano: feeOf(now, start, own, begun),
    lastPlan: at(stretches, end - 1).plan,
    changes: account.changes.filter(({ effectiveAt }) => effectiveAt >= start && effectiveAt < end),
  };
}

function ownPeriod({ plan, since }: Stretch, start: number, timeZone: string): Period {
  if (plan.period !== 'month') return rollingPeriod(ROLLING_DAYS, since, start);
  // Behind the end of a month that was counted by other clocks, the next one is meant, and never its first or last hours.
  return calendarPeriod('MONTH', timeZone, start > since ? start + CLOCKS_APART_MS : start);
}

function feeOf({ plan, since }: Stretch, start: number, own: Period, begun: number): bigint {
  const { feeNano } = plan;
  if (start === own.start) return feeNano;
  // What the change makes due is its own line.
  if (start === since && start !== begun) return 0n;
  const isWhole = start > since && Math.abs(start - own.start) <= CLOCKS_APART_MS;
  if (isWhole) return feeNano;
  return proratedNano({ feeNano: 0n, period: own }, { feeNano, period: own }, start);
}

function stretchesOf({ plan, createdAt, planSince, changes }: BilledAccount, plans: PlanBook): readonly Stretch[] {
  const [first] = changes;
  if (first === undefined) return [{ from: planSince, plan: plans.of(plan), since: planSince }];
  const stretches: Stretch[] = [{ from: createdAt, plan: plans.of(first.fromPlan), since: createdAt }];
  for (const { fromPlan, toPlan, effectiveAt } of changes) {
    const to = plans.of(toPlan);
    const isOther = plans.of(fromPlan).period !== to.period || effectiveAt === planSince;
    const since = isOther ? effectiveAt : (stretches.at(-1)?.since ?? createdAt);
    stretches.push({ from: effectiveAt, plan: to, since });
  }
  return stretches;
}

function at(stretches: readonly Stretch[], moment: number): Stretch {
  const found = stretches.findLast(({ from }) => from <= moment) ?? stretches[0];
  if (found === undefined) throw new RangeError(`no plan at ${moment}`);
  return found;
}
