import { calendarPeriod, rollingPeriod, type Period } from '../../calendar/period.ts';
import type { BilledPlan } from '../plans/billed-plan.ts';
import type { PlanCatalogue } from '../plans/plan.ts';
import { ROLLING_DAYS } from '../plans/plan-period.ts';
import { restNano } from '../plans/proration.ts';

/** A change of plans, as it was recorded. */
export interface RecordedChange {
  readonly fromPlan: string;
  readonly toPlan: string;
  /** As they were configured then; null where that was not kept. */
  readonly from: BilledPlan | null;
  readonly to: BilledPlan | null;
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
  /** The plan that the period behind it began with; null where that was not kept. */
  readonly begunWith: BilledPlan | null;
  /** When it was deleted: up to when it was restored, or `Infinity`. */
  readonly deletions: readonly Period[];
  /** When it is erased; null for one that lives. */
  readonly erasedAfter: number | null;
}

export interface BillingPeriod extends Period {
  /** What it began with. */
  readonly plan: BilledPlan;
  /** Nano-USD that are due because it began. */
  readonly feeNano: bigint;
  /** What it ended with. */
  readonly lastPlan: BilledPlan;
  /** Nano-USD of usage that are not billed: of each plan, the share of the time that the account had it. */
  readonly allowanceNano: bigint;
  readonly changes: readonly RecordedChange[];
  /** What the next one begins with. */
  readonly nextPlan: BilledPlan;
}

/** From its moment on, up to the next one's. */
interface Stretch {
  readonly from: number;
  /** As its account names it. */
  readonly planId: string;
  /** As it was configured at that moment. */
  readonly plan: BilledPlan;
  /** As it was billed when it ended; null where that was not kept, or it goes on. */
  readonly left: BilledPlan | null;
  /** Since when periods are counted as they are there. */
  readonly since: number;
}

/** An account that sets its clocks anew moves the ends of its months by this much at most. */
const CLOCKS_APART_MS = 36 * 3_600_000;

/**
 * The period that is to be billed next: it begins where the last one ended. It ends where the plan's own period does, or where a
 * change of plans begins periods of another kind, or where a deleted account is erased. Where the account's clocks were changed, a
 * month is longer or shorter by the difference: no moment is billed twice, or never.
 */
export function nextPeriod(account: BilledAccount, plans: PlanCatalogue): BillingPeriod {
  const recorded = stretchesOf(account, plans);
  const begun = recorded[0]?.from ?? account.planSince;
  const start = account.closedUntil ?? begun;
  const first = at(recorded, start);
  const hasChanged = first !== recorded[0] && first.from === start;
  const begunWith = hasChanged ? null : account.begunWith;
  const now = { ...first, plan: begunWith ?? planAt(first, start, plans) };
  const stretches = recorded.map((stretch) => (stretch === first ? now : stretch));
  const own = ownPeriod(now, start, account.timeZone);
  const cut = stretches.find(({ from, since }) => from > start && since > now.since)?.from ?? Infinity;
  const end = Math.min(own.end, cut, Math.max(start, account.erasedAfter ?? Infinity));
  const within = stretches.filter(({ from }) => from > now.from && from < own.end);
  const served = { start, end, from: servedFrom(account, start), own, begun };
  return {
    start,
    end,
    plan: now.plan,
    feeNano: feeOf(now, served),
    lastPlan: at(stretches, end - 1).plan,
    allowanceNano: allowanceOf([now, ...within], served),
    changes: account.changes.filter(
      ({ effectiveAt }) =>
        effectiveAt >= start && effectiveAt < end && servedFrom(account, effectiveAt) === effectiveAt,
    ),
    nextPlan: planAt(at(recorded, end), end, plans),
  };
}

function ownPeriod({ plan, since }: Stretch, start: number, timeZone: string): Period {
  if (plan.period !== 'month') return rollingPeriod(ROLLING_DAYS, since, start);
  // Behind the end of a month that was counted by other clocks, the next one is meant, and never its first or last hours.
  return calendarPeriod('MONTH', timeZone, start > since ? start + CLOCKS_APART_MS : start);
}

interface Served extends Period {
  /** From when on the account was not deleted. */
  readonly from: number;
  /** The whole period that fees and allowances are shared out by. */
  readonly own: Period;
  /** When the account's first period began. */
  readonly begun: number;
}

/** The next moment at which the account is not deleted; `Infinity` where there is none. */
function servedFrom({ deletions }: BilledAccount, moment: number): number {
  return deletions.reduce((from, { start, end }) => (start <= from && from < end ? end : from), moment);
}

function feeOf({ plan, since }: Stretch, served: Served): bigint {
  const { start, from, own, begun } = served;
  // What the change makes due is its own line.
  if (from === start && start !== own.start && start === since && start !== begun) return 0n;
  return begunShare(plan.feeNano, since, served);
}

/** What of a fee or an allowance falls on the time from the period's start on. */
function begunShare(amountNano: bigint, since: number, { start, end, from, own }: Served): bigint {
  if (from > start) return from < end ? restNano({ amountNano, period: own }, from) : 0n;
  const isWhole = start > since && Math.abs(start - own.start) <= CLOCKS_APART_MS;
  return isWhole ? amountNano : restNano({ amountNano, period: own }, start);
}

/**
 * As fees are charged: a plan's allowance is given with its fee, and what of it falls on the time behind a change is taken back
 * with what is given back of the fee. What was included without a fee stays.
 */
function allowanceOf(stretches: readonly Stretch[], served: Served): bigint {
  const { end, from, own } = served;
  let sum = 0n;
  for (const [index, { from: begins, plan, since }] of stretches.entries()) {
    const until = stretches[index + 1]?.from ?? own.end;
    if (begins >= end || until <= from) continue;
    const charge = { amountNano: plan.allowanceNano, period: own };
    const isFirst = index === 0 || begins <= from;
    sum += isFirst ? begunShare(plan.allowanceNano, since, served) : restNano(charge, begins);
    if (plan.feeNano > 0n && until < own.end) sum -= restNano(charge, until);
  }
  return sum > 0n ? sum : 0n;
}

function stretchesOf({ plan, createdAt, planSince, changes }: BilledAccount, plans: PlanCatalogue): readonly Stretch[] {
  const [first] = changes;
  if (first === undefined)
    return [{ from: planSince, planId: plan, plan: plans.of(plan), left: null, since: planSince }];
  const stretches: Stretch[] = [
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
    const since = isOther ? effectiveAt : (stretches.at(-1)?.since ?? createdAt);
    const left = changes[index + 1]?.from ?? null;
    stretches.push({ from: effectiveAt, planId: toPlan, plan: next, left, since });
  }
  return stretches;
}

/** The plan of a period that begins at a moment: as it was when it changed then, or is billed since, else as it is configured. */
function planAt({ from, planId, plan, left }: Stretch, moment: number, plans: PlanCatalogue): BilledPlan {
  return from === moment ? plan : (left ?? plans.of(planId));
}

function at(stretches: readonly Stretch[], moment: number): Stretch {
  const found = stretches.findLast(({ from }) => from <= moment) ?? stretches[0];
  if (found === undefined) throw new RangeError(`no plan at ${moment}`);
  return found;
}
