import { type BudgetPeriod, type Period } from '../../calendar/period.ts';

export type BudgetSubject = 'key' | 'member' | 'account';

/** The amount that a key, a member, or the account may spend in a period. */
export interface Budget {
  /** Unique; see `budgetId`. */
  readonly id: string;
  readonly subject: BudgetSubject;
  readonly accountId: string;
  readonly amountNano: bigint;
  readonly period: BudgetPeriod;
  /** The time zone of its periods, an IANA name. */
  readonly timeZone: string;
}

/**
 * The amount that an account may spend in its billing period where its plan refuses overage: what the plan includes,
 * and the balance. It is derived, and its period is no calendar period.
 */
export interface Allowance {
  readonly id: string;
  readonly subject: 'allowance';
  readonly accountId: string;
  readonly period: Period;
  /** The amount for `period`. */
  readonly amountNano: bigint;
  /** The amount after `period`, until the next period is known. */
  readonly laterNano: bigint;
}

/** Any bound on spending. */
export type SpendBound = Budget | Allowance;
