import { SluiceError } from '../../errors/index.ts';
import { calendarPeriod, type BudgetPeriod, type Period } from '../../calendar/period.ts';
import type { KeyRecord } from '../key-directory.ts';

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

/**
 * What an account may spend in its billing period where its plan refuses what goes beyond: what the plan includes, and the balance.
 * Nobody sets it, and no calendar says its period.
 */
export interface Allowance {
  readonly id: string;
  readonly subject: 'allowance';
  readonly accountId: string;
  readonly period: Period;
  /** Of that period. */
  readonly amountNano: bigint;
  /** From its end on, until the next one is known. */
  readonly laterNano: bigint;
}

/** Whatever bounds spending. */
export type SpendBound = Budget | Allowance;

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
  /** Whether its account may have an allowance. */
  readonly hasAllowance: boolean;
}

/** Whose request it is, by its key. */
export function spenderOf({ id: keyId, accountId, memberId, plan }: KeyRecord): Spender {
  return { keyId, accountId, memberId, hasAllowance: plan.overage === 'refuse' };
}

export const noBudgets: readonly SpendBound[] = [];

/** A member has a budget in each account of theirs. */
export function budgetId(
  subject: SpendBound['subject'],
  { accountId, keyId, memberId }: Omit<Spender, 'hasAllowance'>,
): string {
  if (subject === 'key') return `key:${keyId}`;
  return subject === 'member' ? `member:${accountId}:${memberId}` : `${subject}:${accountId}`;
}

/** Every budget that a request of theirs can count in. */
export function budgetIds(spender: Spender): readonly string[] {
  const subjects = spender.memberId === null ? ofKey : ofMembersKey;
  const ids = subjects.map((subject) => budgetId(subject, spender));
  return spender.hasAllowance ? [...ids, budgetId('allowance', spender)] : ids;
}

const ofKey = ['key', 'account'] as const;
const ofMembersKey = ['key', 'member', 'account'] as const;

/** Its period around a moment. */
export function periodAt(budget: SpendBound, at: number): Period {
  if (budget.subject !== 'allowance') return calendarPeriod(budget.period, budget.timeZone, at);
  const { period } = budget;
  return at < period.end ? period : { start: period.end, end: Infinity };
}

/** What may be spent in its period that begins then. */
export function amountFrom(budget: SpendBound, start: number): bigint {
  return budget.subject === 'allowance' && start >= budget.period.end ? budget.laterNano : budget.amountNano;
}

export function emptyBudget(budget: SpendBound, now: number): BudgetState {
  return { period: periodAt(budget, now), spentNano: 0n, reservedNano: 0n };
}

/**
 * A period that is over makes room for the next: what was spent and reserved in it counts there, and here no more.
 * @returns whether it was over
 */
export function rollOver(state: BudgetState, budget: SpendBound, now: number): boolean {
  if (now < state.period.end) return false;
  Object.assign(state, emptyBudget(budget, now));
  return true;
}

/** Whether it has room for so much. What costs nothing is never refused. */
export function hasRoom(
  { period, spentNano, reservedNano }: BudgetState,
  budget: SpendBound,
  costNano: bigint,
): boolean {
  return costNano === 0n || spentNano + reservedNano + costNano <= amountFrom(budget, period.start);
}

/**
 * What a caller is told whose request a budget has no room for.
 * @param costNano what the request takes at most: one that no period has room for is not to be sent again
 */
export function insufficientQuota(budget: SpendBound, costNano: bigint, now: number): SluiceError {
  const { end } = periodAt(budget, now);
  const waitMs = end - now;
  const fitsThen = costNano <= amountFrom(budget, end);
  return new SluiceError('insufficient_quota', {
    hint: `${budget.subject === 'allowance' ? NO_ALLOWANCE : noBudget(budget)}${resetText(budget, end)}`,
    ...(waitMs <= DAY_MS && fitsThen && { retryAfterMs: waitMs }),
  });
}

const DAY_MS = 86_400_000;
const NO_ALLOWANCE =
  "What its account's plan includes for this period, and its balance, have no room for the most that this request may cost; a lower max_completion_tokens makes that less.";

function noBudget({ subject, period }: Budget): string {
  return `The budget of ${owners[subject]}${times[period]} has no room for this request.`;
}

/** Of an allowance whose period is over, and whose next one is not known yet, nothing is said. */
function resetText({ subject }: SpendBound, end: number): string {
  if (end !== Infinity) return ` The quota resets at ${new Date(end).toISOString().replace('.000Z', 'Z')}.`;
  return subject === 'allowance' ? '' : ' This budget does not reset.';
}

const owners = { key: 'this API key', member: 'its member', account: 'its account' } as const;
const times = { DAY: ' for this day', WEEK: ' for this week', MONTH: ' for this month', TOTAL: '' } as const;
