import type { SpendBound } from '../keys/spend-bound.ts';
import { emptyBudget, rollOver, type BudgetState } from './budget.ts';

interface DeferredEntry {
  readonly costNano: bigint;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** A budget of this process, with its reservations. */
export interface OpenBudget {
  readonly budget: SpendBound;
  readonly state: BudgetState;
  /** Deferred reservations by id. */
  readonly deferred: Map<string, DeferredEntry>;
}

/** A budget of another kind under the same id is a different budget. */
export function haveSamePeriod(one: SpendBound, other: SpendBound): boolean {
  if (one.subject === 'allowance' || other.subject === 'allowance') return one.subject === other.subject;
  return one.period === other.period && one.timeZone === other.timeZone;
}

/** Opens a budget. A new amount, or a new end of the same period, keeps the spending. */
export function openBudget(budget: SpendBound, known: OpenBudget | undefined, now: number): OpenBudget {
  const empty = emptyBudget(budget, now);
  const isSame = known !== undefined && haveSamePeriod(known.budget, budget);
  const existing = isSame && known.state.period.start >= empty.period.start ? known : null;
  const state = existing?.state ?? empty;
  if (state.period.start === empty.period.start) state.period = empty.period;
  const deferred = known?.deferred ?? new Map();
  if (existing === null) state.reservedNano = sumOf(deferred);
  return { budget, state, deferred };
}

/** The state of the current period, which deferred reservations carry over to. */
export function currentState({ budget, state, deferred }: OpenBudget, now: number): BudgetState {
  if (rollOver(state, budget, now)) state.reservedNano = sumOf(deferred);
  return state;
}

/** Releases a deferred reservation. */
export function releaseFrom({ state, deferred }: OpenBudget, id: string): void {
  state.reservedNano -= deferred.get(id)?.costNano ?? 0n;
  deferred.delete(id);
}

function sumOf(deferred: ReadonlyMap<string, DeferredEntry>): bigint {
  let sum = 0n;
  for (const { costNano } of deferred.values()) sum += costNano;
  return sum;
}
