/** `extensions.cost` of a response, if requested. */
export interface CostReport {
  /** Cost of this operation, in points. */
  readonly requested: number;
  /** Maximum cost of one operation. */
  readonly limit: number;
  readonly perMinute: number;
  /** Remaining points of `perMinute`. */
  readonly remaining: number;
  readonly resetAt: string;
}
