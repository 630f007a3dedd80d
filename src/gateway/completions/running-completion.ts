import type { Timer } from '../../calendar/clock.ts';
import type { EventRing } from '../../live/event-ring.ts';
import type { CompletionUpdate } from '../../live/events.ts';
import type { OpenRequest } from '../call.ts';
import type { RequestName } from './completion-registry.ts';

/** A completion that runs, or that can be replayed. */
export interface Running {
  readonly name: RequestName;
  readonly ring: EventRing<CompletionUpdate>;
  /** Null while the objects that it names are looked up. */
  openRequest: OpenRequest | null;
  isDisconnected: boolean;
  /** Whether the account has zero retention. */
  readonly hasZeroRetention: boolean;
  readers: number;
  /** Whether a reader has started. */
  wasRead: boolean;
  ended: boolean;
  /** Whether it was rejected before it ran. */
  refused: boolean;
  timer: Timer | null;
}

/** Its request runs now. */
export function connect(running: Running, open: OpenRequest): void {
  running.openRequest = open;
  if (running.isDisconnected) open.onClientDisconnect();
}

/** Nobody reads it, also where its request runs only later. */
export function disconnect(running: Running): void {
  running.isDisconnected = true;
  running.openRequest?.onClientDisconnect();
}
