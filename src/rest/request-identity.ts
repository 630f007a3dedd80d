import type { Response } from 'express';
import { systemClock } from '../calendar/clock.ts';
import { newEventIds, type EventIds } from '../gateway/event-id.ts';

/** Who a request is, from its first moment to its answer. */
export interface RequestIdentity extends EventIds {
  /** At its beginning, by the system clock's `monotonic`. */
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
  const identity = { eventId, requestId, startedAt: systemClock.monotonic() };
  response.locals.identity = identity;
  return identity;
}
