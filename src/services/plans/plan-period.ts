import { calendarPeriod, rollingPeriod, type Period } from '../../calendar/period.ts';
import type { Plan } from './plan.ts';

export const ROLLING_DAYS = 30;

/** The anchor of an account's periods. */
export interface PeriodAnchor {
  readonly timeZone: string;
  /** Start of the current sequence of periods, in milliseconds since the epoch. */
  readonly since: number;
}

/**
 * The full period around a time, by which fees are charged and prorated. For monthly plans it is the calendar month, also for
 * an account that was created within it.
 */
export function fullPeriod({ period }: Pick<Plan, 'period'>, { timeZone, since }: PeriodAnchor, at: number): Period {
  return period === 'month' ? calendarPeriod('MONTH', timeZone, at) : rollingPeriod(ROLLING_DAYS, since, at);
}

/** The part of it over which the account's allowance and spend are counted: it starts no earlier than the account. */
export function accountPeriod(plan: Pick<Plan, 'period'>, anchor: PeriodAnchor, at: number): Period {
  const { start, end } = fullPeriod(plan, anchor, at);
  return { start: at < anchor.since ? start : Math.max(start, anchor.since), end };
}
