import { performance } from 'node:perf_hooks';
import type { Response } from 'express';
import { newEventIds, type EventIds } from '../gateway/event-id.ts';

/** Who a request is, from its first moment to its answer. */
export interface RequestIdentity extends EventIds {
  /** `performance.now()` at its beginning. */
  readonly startedAt: number;
}

declare global {
  // Express names its extension point so.
  namespace Express {
    interface Locals {
      identity?: RequestIdentity;
    }
  }
}

/** Made at the first call for this answer; the same one after. */
export function identityOf(response: Response): RequestIdentity {
  const known: RequestIdentity | undefined = response.locals.identity;
  if (known !== undefined) return known;
  const { eventId, requestId } = newEventIds();
  const identity = { eventId, requestId, startedAt: performance.now() };
  response.locals.identity = identity;
  return identity;
}
