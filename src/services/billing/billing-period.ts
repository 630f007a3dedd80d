import { calendarPeriod, rollingPeriod, type Period } from '../../calendar/period.ts';
import type { BilledPlan } from '../plans/billed-plan.ts';
import type { PlanCatalogue } from '../plans/plan.ts';
import { ROLLING_DAYS } from '../plans/plan-period.ts';
import { restNano } from '../plans/proration.ts';

/** A recorded change of plans. */
export interface RecordedChange {
  readonly fromPlan: string;
  readonly toPlan: string;
  /** The plans as configured at that time; null if that was not recorded. */
  readonly from: BilledPlan | null;
  readonly to: BilledPlan | null;
  /** Milliseconds since the epoch. */
  readonly effectiveAt: number;
  /** Nano-USD that it makes due. */
  readonly amountNano: bigint;
}

/** The data that an account's periods are computed from. Times in milliseconds since the epoch. */
export interface BilledAccount {
  readonly plan: string;
  readonly timeZone: string;
  readonly createdAt: number;
  readonly planSince: number;
  /** Oldest first. */
  readonly changes: readonly RecordedChange[];
  /** The end of the last closed period; null if there is none. */
  readonly closedUntil: number | null;
  /** The plan at the start of the following period; null if that was not recorded. */
  readonly begunWith: BilledPlan | null;
  /** From each deletion to its restoration, or `Infinity`. */
  readonly deletions: readonly Period[];
  /** When it is erased; null if it is active. */
  readonly erasedAfter: number | null;
}

export interface BillingPeriod extends Period {
  /** The plan at its start. */
  readonly plan: BilledPlan;
  /** Nano-USD that are due at its start. */
  readonly feeNano: bigint;
  /** The plan at its end. */
  readonly lastPlan: BilledPlan;
  /** Included usage in nano-USD: each plan's allowance in proportion to its time. */
  readonly allowanceNano: bigint;
  readonly changes: readonly RecordedChange[];
  /** The plan at the start of the next period. */
  readonly nextPlan: BilledPlan;
}

/** The time from one plan to the next. */
interface PlanSegment {
  readonly from: number;
  /** The account's plan id. */
  readonly planId: string;
  /** As configured at its start. */
  readonly plan: BilledPlan;
  /** As billed at its end; null if that was not recorded, or if it continues. */
  readonly left: BilledPlan | null;
  /** The anchor of its periods. */
  readonly since: number;
}

/** A change of the account's time zone moves the end of a month by at most this. */
const MAX_TIME_ZONE_SHIFT_MS = 36 * 3_600_000;

/**
 * The next period to bill: it starts where the last one ended. It ends with the plan's own period, with a change to a plan of
 * a different period, or with the erasure of a deleted account. If the time zone changed, a month is longer or shorter by the
 * difference: no time is billed twice or omitted.
 */
export function nextPeriod(account: BilledAccount, plans: PlanCatalogue): BillingPeriod {
  const recorded = segmentsOf(account, plans);
  const begun = recorded[0]?.from ?? account.planSince;
  const start = account.closedUntil ?? begun;
  const first = at(recorded, start);
  const hasChanged = first !== recorded[0] && first.from === start;
  const begunWith = hasChanged ? null : account.begunWith;
  const now = { ...first, plan: begunWith ?? planAt(first, start, plans) };
  const segments = recorded.map((segment) => (segment === first ? now : segment));
  const own = ownPeriod(now, start, account.timeZone);
  const cut = segments.find(({ from, since }) => from > start && since > now.since)?.from ?? Infinity;
  const end = Math.min(own.end, cut, Math.max(start, account.erasedAfter ?? Infinity));
  const within = segments.filter(({ from }) => from > now.from && from < own.end);
  const served = { start, end, from: servedFrom(account, start), own, begun };
  return {
    start,
    end,
    plan: now.plan,
    feeNano: feeOf(now, served),
    lastPlan: at(segments, end - 1).plan,
    allowanceNano: allowanceOf([now, ...within], served),
    changes: account.changes.filter(
      ({ effectiveAt }) =>
        effectiveAt >= start && effectiveAt < end && servedFrom(account, effectiveAt) === effectiveAt,
    ),
    nextPlan: planAt(at(recorded, end), end, plans),
  };
}

function ownPeriod({ plan, since }: PlanSegment, start: number, timeZone: string): Period {
  if (plan.period !== 'month') return rollingPeriod(ROLLING_DAYS, since, start);
  // After the end of a month in another time zone, the next month is meant, not the first or last hours of this one.
  return calendarPeriod('MONTH', timeZone, start > since ? start + MAX_TIME_ZONE_SHIFT_MS : start);
}

interface Served extends Period {
  /** Since when the account is not deleted. */
  readonly from: number;
  /** The full period by which fees and allowances are prorated. */
  readonly own: Period;
  /** The start of the account's first period. */
  readonly begun: number;
}

/** The next time at which the account is not deleted; `Infinity` if there is none. */
function servedFrom({ deletions }: BilledAccount, moment: number): number {
  return deletions.reduce((from, { start, end }) => (start <= from && from < end ? end : from), moment);
}

function feeOf({ plan, since }: PlanSegment, served: Served): bigint {
  const { start, from, own, begun } = served;
  // The amount of the change has its own line.
  if (from === start && start !== own.start && start === since && start !== begun) return 0n;
  return begunShare(plan.feeNano, since, served);
}

/** The part of a fee or an allowance for the time from the period's start. */
function begunShare(amountNano: bigint, since: number, { start, end, from, own }: Served): bigint {
  if (from > start) return from < end ? restNano({ amountNano, period: own }, from) : 0n;
  const isWhole = start > since && Math.abs(start - own.start) <= MAX_TIME_ZONE_SHIFT_MS;
  return isWhole ? amountNano : restNano({ amountNano, period: own }, start);
}

/**
 * Allowances follow fees: a plan's allowance is granted with its fee, and the part after a change is withdrawn with the
 * refunded part of the fee. What was included without a fee remains.
 */
function allowanceOf(segments: readonly PlanSegment[], served: Served): bigint {
  const { end, from, own } = served;
  let sum = 0n;
  for (const [index, { from: begins, plan, since }] of segments.entries()) {
    const until = segments[index + 1]?.from ?? own.end;
    if (begins >= end || until <= from) continue;
    const charge = { amountNano: plan.allowanceNano, period: own };
    const isFirst = index === 0 || begins <= from;
    sum += isFirst ? begunShare(plan.allowanceNano, since, served) : restNano(charge, begins);
    if (plan.feeNano > 0n && until < own.end) sum -= restNano(charge, until);
  }
  return sum > 0n ? sum : 0n;
}

function segmentsOf(
  { plan, createdAt, planSince, changes }: BilledAccount,
  plans: PlanCatalogue,
): readonly PlanSegment[] {
  const [first] = changes;
  if (first === undefined)
    return [{ from: planSince, planId: plan, plan: plans.of(plan), left: null, since: planSince }];
  const segments: PlanSegment[] = [
    {
      from: createdAt,
      planId: first.fromPlan,
      plan: first.from ?? plans.of(first.fromPlan),
      left: first.from,
      since: createdAt,
    },
  ];
  for (const [index, { fromPlan, toPlan, from, to, effectiveAt }] of changes.entries()) {
    const next = to ?? plans.of(toPlan);
    const isOther = (from ?? plans.of(fromPlan)).period !== next.period || effectiveAt === planSince;
    const since = isOther ? effectiveAt : (segments.at(-1)?.since ?? createdAt);
    const left = changes[index + 1]?.from ?? null;
    segments.push({ from: effectiveAt, planId: toPlan, plan: next, left, since });
  }
  return segments;
}

/** The plan of a period that starts at a given time: as recorded when it changed or was billed, else as configured. */
function planAt({ from, planId, plan, left }: PlanSegment, moment: number, plans: PlanCatalogue): BilledPlan {
  return from === moment ? plan : (left ?? plans.of(planId));
}

function at(segments: readonly PlanSegment[], moment: number): PlanSegment {
  const found = segments.findLast(({ from }) => from <= moment) ?? segments[0];
  if (found === undefined) throw new RangeError(`no plan at ${moment}`);
  return found;
}
