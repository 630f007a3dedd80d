/** What of a plan is billed, as it was configured at a moment. */
export interface StoredPlan {
  readonly id: string;
  readonly name: string;
  readonly period: 'month' | '30_days';
  /** Nano-USD a period. */
  readonly feeNano: string;
  readonly allowanceNano: string;
}
