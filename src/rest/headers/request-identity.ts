import type { Response } from 'express';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { newEventIds, type EventIds } from '../../gateway/event-id.ts';

/** IDs and start time of a request. */
export interface RequestIdentity extends EventIds {
  readonly clock: Clock;
  /** Monotonic time of `clock`, in milliseconds. */
  readonly startedAt: number;
}

declare global {
  // Express names its extension point so.
  namespace Express {
    interface Locals {
      identity?: RequestIdentity;
      /** Clock of the server; defaults to the system clock. */
      clock?: Clock;
    }
  }
}

/** Creates the identity at the first call for a response. */
export function identityOf(response: Response): RequestIdentity {
  const known: RequestIdentity | undefined = response.locals.identity;
  if (known !== undefined) return known;
  const { eventId, requestId } = newEventIds();
  const { clock = systemClock } = response.locals;
  const identity = { eventId, requestId, clock, startedAt: clock.monotonic() };
  response.locals.identity = identity;
  return identity;
}

/** Since the beginning of a request, in whole milliseconds. */
export function elapsedMs({ clock, startedAt }: RequestIdentity): number {
  return Math.round(clock.monotonic() - startedAt);
}
