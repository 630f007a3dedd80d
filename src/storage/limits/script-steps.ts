import type { RateLimits } from '../../gateway/keys/key-directory.ts';
import type { SpendBound } from '../../gateway/keys/spend-bound.ts';
import { amountFrom, periodAt } from '../../gateway/limits/budget.ts';
import type { LimitName, LimitState } from '../../gateway/limits/limit-state.ts';
import type { LimitBound } from '../../gateway/limits/limit-store.ts';
import type { Step } from './waiting-steps.ts';

/** A budget in a step; if it is only charged, just its name. */
export interface BudgetStep {
  readonly id: string;
  /** Another kind makes it another budget with the same name. */
  readonly kind?: string;
  readonly start: number | null;
  readonly finish?: number | null;
  readonly amount?: string;
}

export interface ScriptReply {
  readonly refusal: string;
  /** The index of the limit or budget that rejected the request, from 1. */
  readonly index: number;
  /** One per limit. */
  readonly states: readonly LimitState[];
}

export function asStep(budget: SpendBound, now: number): BudgetStep {
  const { start, end } = periodAt(budget, now);
  const kind = budget.subject === 'allowance' ? 'ALLOWANCE' : `${budget.period} ${budget.timeZone}`;
  const amount = String(amountFrom(budget, start));
  return { id: budget.id, kind, amount, start, finish: end === Infinity ? null : end };
}

/** All keys of an account hash to one slot, because a cluster requires that for a script. */
export function accountPrefix(accountId: string): string {
  return `sluice:limit:{${accountId}}`;
}

export function stepOf(
  accountId: string,
  bounds: readonly LimitBound[],
  budgets: readonly BudgetStep[],
  event: string,
): Pick<Step, 'keys' | 'accountId' | 'budgetIds'> {
  const prefix = accountPrefix(accountId);
  const budgetIds = budgets.map(({ id }) => id);
  const keys = [
    ...bounds.flatMap(({ id }) => [`${prefix}:levels:${id}`, `${prefix}:slots:${id}`]),
    ...budgetIds.flatMap((id) => ['budget', 'held', 'leases'].map((part) => `${prefix}:${part}:${id}`)),
    `${prefix}:done:${event}`,
  ];
  return { keys, accountId, budgetIds };
}

export function scriptLimits({ requestsPerMinute, tokensPerMinute, requestsPerDay, concurrency }: RateLimits): object {
  const bounded = (limit: number): number | null => (limit === Infinity ? null : limit);
  return {
    requests: bounded(requestsPerMinute),
    tokens: bounded(tokensPerMinute),
    day: bounded(requestsPerDay),
    slots: bounded(concurrency),
  };
}

export function parseReply(answer: unknown): ScriptReply {
  if (!Array.isArray(answer)) throw new TypeError('the limit script returned an unexpected reply');
  const [refusal, index, updatedAt, ...levels] = answer.map(String);
  const states: LimitState[] = [];
  for (let at = 0; at < levels.length; at += 4)
    states.push({
      requests: level(levels[at]),
      tokens: level(levels[at + 1]),
      dayRequests: level(levels[at + 2]),
      running: Number(levels[at + 3]),
      updatedAt: Number(updatedAt),
    });
  return { refusal: refusal ?? '', index: Number(index), states };
}

function level(text: string | undefined): number {
  return text === 'inf' ? Infinity : Number(text);
}

export function asLimitName(refusal: string): LimitName {
  if (refusal === 'concurrency' || refusal === 'requests' || refusal === 'dayRequests') return refusal;
  return 'tokens';
}
