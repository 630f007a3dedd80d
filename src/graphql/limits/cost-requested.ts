import { z } from 'zod';

const asking = z.looseObject({ cost: z.literal(true) });

/** Whether a request's `extensions` request the cost report: `{ "cost": true }`. */
export function isCostRequested(extensions: unknown): boolean {
  return asking.safeParse(extensions).success;
}
