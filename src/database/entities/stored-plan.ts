/** The billed terms of a plan, as configured at a certain time. */
export interface StoredPlan {
  readonly id: string;
  readonly name: string;
  readonly period: 'month' | '30_days';
  /** Nano-USD per period. */
  readonly feeNano: string;
  readonly allowanceNano: string;
}
