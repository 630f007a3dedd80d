import { calendarPeriod, rollingPeriod, type Period } from '../../calendar/period.ts';
import type { Plan } from './plan.ts';

export const ROLLING_DAYS = 30;

/** What an account's periods are counted by. */
export interface PeriodAnchor {
  readonly timeZone: string;
  /** Since when they are counted as they are now, in milliseconds since the epoch. */
  readonly since: number;
}

/**
 * The whole period around a moment: by what fees are charged and shared out. A calendar's month is one also for an account that
 * began within it.
 */
export function fullPeriod({ period }: Pick<Plan, 'period'>, { timeZone, since }: PeriodAnchor, at: number): Period {
  return period === 'month' ? calendarPeriod('MONTH', timeZone, at) : rollingPeriod(ROLLING_DAYS, since, at);
}

/** The part of it that the account's allowance and spend are counted over: none of it lies before the account's start. */
export function accountPeriod(plan: Pick<Plan, 'period'>, anchor: PeriodAnchor, at: number): Period {
  const { start, end } = fullPeriod(plan, anchor, at);
  return { start: at < anchor.since ? start : Math.max(start, anchor.since), end };
}
