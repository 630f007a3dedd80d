/**
 * The maximum work for one schema, shared by all steps, so that no schema blocks the process: everything beyond it is
 * treated as simple, or omitted. A unit is about a tenth of a microsecond to a microsecond.
 */
export interface WorkBudget {
  remaining: number;
}

/** Enough for several hundred ordinary schemas, and consumed within a fraction of a second. */
export function newWorkBudget(): WorkBudget {
  return { remaining: 200_000 };
}
