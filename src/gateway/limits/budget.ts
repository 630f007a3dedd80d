import type { Budget, SpendBound } from '../keys/spend-bound.ts';
import { SluiceError } from '../../errors/index.ts';
import { calendarPeriod, type Period } from '../../calendar/period.ts';
import type { LimitedKey } from './limited-key.ts';

/** The state of a budget in its current period. `reservedNano` is the maximum cost of open requests. */
export interface BudgetState {
  period: Period;
  spentNano: bigint;
  reservedNano: bigint;
}

/** The spender of a request. */
export interface Spender {
  readonly accountId: string;
  readonly keyId: string;
  /** Null for a key without a user. */
  readonly memberId: string | null;
  /** Whether its account may have an allowance. */
  readonly hasAllowance: boolean;
}

/** The spender of a key's requests. */
export function spenderOf({ id: keyId, accountId, memberId, plan }: LimitedKey): Spender {
  return { keyId, accountId, memberId, hasAllowance: plan.overage === 'refuse' };
}

export const noBudgets: readonly SpendBound[] = [];

/** A member has a budget per account. */
export function budgetId(
  subject: SpendBound['subject'],
  { accountId, keyId, memberId }: Omit<Spender, 'hasAllowance'>,
): string {
  if (subject === 'key') return `key:${keyId}`;
  return subject === 'member' ? `member:${accountId}:${memberId}` : `${subject}:${accountId}`;
}

/** The ids of all budgets that a spender's request can count in. */
export function budgetIds(spender: Spender): readonly string[] {
  const subjects = spender.memberId === null ? ofKey : ofMembersKey;
  const ids = subjects.map((subject) => budgetId(subject, spender));
  return spender.hasAllowance ? [...ids, budgetId('allowance', spender)] : ids;
}

const ofKey = ['key', 'account'] as const;
const ofMembersKey = ['key', 'member', 'account'] as const;

/** The period of a budget at a time. */
export function periodAt(budget: SpendBound, at: number): Period {
  if (budget.subject !== 'allowance') return calendarPeriod(budget.period, budget.timeZone, at);
  const { period } = budget;
  return at < period.end ? period : { start: period.end, end: Infinity };
}

/** The amount for the period that starts at a time. */
export function amountFrom(budget: SpendBound, start: number): bigint {
  return budget.subject === 'allowance' && start >= budget.period.end ? budget.laterNano : budget.amountNano;
}

export function emptyBudget(budget: SpendBound, now: number): BudgetState {
  return { period: periodAt(budget, now), spentNano: 0n, reservedNano: 0n };
}

/**
 * Starts the next period when the current one is over: spending and reservations of the old one no longer count.
 * @returns whether it was over
 */
export function rollOver(state: BudgetState, budget: SpendBound, now: number): boolean {
  if (now < state.period.end) return false;
  Object.assign(state, emptyBudget(budget, now));
  return true;
}

/** Whether a budget has room for a cost. A cost of zero is never rejected. */
export function hasRoom(
  { period, spentNano, reservedNano }: BudgetState,
  budget: SpendBound,
  costNano: bigint,
): boolean {
  return costNano === 0n || spentNano + reservedNano + costNano <= amountFrom(budget, period.start);
}

/**
 * The error of a request that a budget has no room for.
 * @param costNano the maximum cost: a request that no period has room for gets no `retry-after`
 */
export function insufficientQuota(budget: SpendBound, costNano: bigint, now: number): SluiceError {
  const { end } = periodAt(budget, now);
  const waitMs = end - now;
  const fitsAfterReset = costNano <= amountFrom(budget, end);
  return new SluiceError('insufficient_quota', {
    hint: `${budget.subject === 'allowance' ? NO_ALLOWANCE : noBudget(budget)}${resetText(budget, end)}`,
    ...(waitMs <= DAY_MS && fitsAfterReset && { retryAfterMs: waitMs }),
  });
}

const DAY_MS = 86_400_000;
const NO_ALLOWANCE =
  "The account's allowance for this period and its balance do not cover the maximum cost of this request. A lower `max_completion_tokens` reduces it.";

function noBudget({ subject, period }: Budget): string {
  return `The budget of ${owners[subject]}${times[period]} does not cover the maximum cost of this request.`;
}

/** Empty for an allowance whose next period is not known yet. */
function resetText({ subject }: SpendBound, end: number): string {
  if (end !== Infinity) return ` The quota resets at ${new Date(end).toISOString().replace('.000Z', 'Z')}.`;
  return subject === 'allowance' ? '' : ' This budget does not reset.';
}

const owners = { key: 'this API key', member: 'its member', account: 'its account' } as const;
const times = { DAY: ' for this day', WEEK: ' for this week', MONTH: ' for this month', TOTAL: '' } as const;
