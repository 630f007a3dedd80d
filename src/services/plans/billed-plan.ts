import type { StoredPlan } from '../../database/entities/index.ts';
import type { Plan } from './plan.ts';

/** The billed terms of a plan, recorded when a period started or the plan changed, regardless of later configuration. */
export type BilledPlan = Pick<Plan, 'id' | 'name' | 'period' | 'feeNano' | 'allowanceNano'>;

export function storePlan({ id, name, period, feeNano, allowanceNano }: BilledPlan): StoredPlan {
  return { id, name, period, feeNano: String(feeNano), allowanceNano: String(allowanceNano) };
}

export function readStoredPlan({ feeNano, allowanceNano, ...plan }: StoredPlan): BilledPlan {
  return { ...plan, feeNano: BigInt(feeNano), allowanceNano: BigInt(allowanceNano) };
}
