/**
 * Work that one schema may cause, shared by all that is done for it, so that no schema holds up the process: what lies
 * beyond it is taken to be simple, or left out. A unit is about a tenth of a microsecond to a microsecond.
 */
export interface WorkBudget {
  remaining: number;
}

/** Enough for some hundred ordinary schemas, and spent within a fraction of a second. */
export function fullWorkBudget(): WorkBudget {
  return { remaining: 200_000 };
}
