import { z } from 'zod';

const asking = z.looseObject({ cost: z.literal(true) });

/** Whether a request's `extensions` ask what it costs: `{ "cost": true }`. */
export function asksForCost(extensions: unknown): boolean {
  return asking.safeParse(extensions).success;
}
