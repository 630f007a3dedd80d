import { SluiceError } from '../../errors/index.ts';
import { calendarPeriod, type BudgetPeriod, type Period } from '../../calendar/period.ts';

export type BudgetSubject = 'key' | 'member' | 'account';

/** How much of its account's money a key, a member, or the account itself may spend in a period. */
export interface Budget {
  /** Unique among all: as `budgetId` makes it. */
  readonly id: string;
  readonly subject: BudgetSubject;
  readonly accountId: string;
  readonly amountNano: bigint;
  readonly period: BudgetPeriod;
  /** Where its days begin: an IANA name. */
  readonly timeZone: string;
}

/** What one budget has come to in its present period. Reserved is what requests under way may cost at most. */
export interface BudgetState {
  period: Period;
  spentNano: bigint;
  reservedNano: bigint;
}

/** Whose request it is. */
export interface Spender {
  readonly accountId: string;
  readonly keyId: string;
  /** Null for a key that stands for nobody. */
  readonly memberId: string | null;
}

export const noBudgets: readonly Budget[] = [];

/** A member has a budget in each account of theirs. */
export function budgetId(subject: BudgetSubject, { accountId, keyId, memberId }: Spender): string {
  if (subject === 'key') return `key:${keyId}`;
  return subject === 'account' ? `account:${accountId}` : `member:${accountId}:${memberId}`;
}

/** Every budget that a request of theirs can count in. */
export function budgetIds(spender: Spender): readonly string[] {
  const subjects = spender.memberId === null ? (['key', 'account'] as const) : (['key', 'member', 'account'] as const);
  return subjects.map((subject) => budgetId(subject, spender));
}

export function emptyBudget(budget: Budget, now: number): BudgetState {
  return { period: calendarPeriod(budget.period, budget.timeZone, now), spentNano: 0n, reservedNano: 0n };
}

/** A period that is over makes room for the next: what was spent and reserved in it counts there, and here no more. */
export function rollOver(state: BudgetState, budget: Budget, now: number): void {
  if (now < state.period.end) return;
  Object.assign(state, emptyBudget(budget, now));
}

/** Whether it has room for so much. What costs nothing is never refused. */
export function hasRoom({ spentNano, reservedNano }: BudgetState, budget: Budget, costNano: bigint): boolean {
  return costNano === 0n || spentNano + reservedNano + costNano <= budget.amountNano;
}

/** What a caller is told whose request a budget has no room for. */
export function outOfMoney({ subject, period }: Budget): SluiceError {
  return new SluiceError('insufficient_quota', {
    hint: `The budget of ${owners[subject]}${times[period]} has no room for this request.`,
  });
}

const owners = { key: 'this API key', member: 'its member', account: 'its account' } as const;
const times = { DAY: ' for this day', WEEK: ' for this week', MONTH: ' for this month', TOTAL: '' } as const;
