import type { IncomingMessage } from 'node:http';
import { systemClock, type Clock } from '../../calendar/clock.ts';

const MAX_BYTES = 128 * 1024 * 1024;
const MAX_DURATION_MS = 60_000;
/** A client that sends nothing for this long may be waiting for the response. */
const IDLE_TIMEOUT_MS = 2_000;

/**
 * Reads and discards the rest of a request before it is rejected: the connection closes with the error, and a client that sends
 * the complete body before it reads would not receive it. Bounded in bytes and time.
 */
export function drainRequest(request: IncomingMessage, then: () => void, clock: Clock = systemClock): void {
  if (request.readableEnded || request.destroyed) {
    then();
    return;
  }
  let left = MAX_BYTES;
  const over = (): void => {
    deadline.cancel();
    silence.cancel();
    request.off('data', arrived).off('end', over).off('close', over);
    then();
  };
  const arrived = (chunk: Buffer): void => {
    silence.refresh();
    left -= chunk.length;
    if (left < 0) over();
  };
  const deadline = clock.setTimeout(over, MAX_DURATION_MS).unref();
  const silence = clock.setTimeout(over, IDLE_TIMEOUT_MS).unref();
  request.on('data', arrived).on('end', over).on('close', over).resume();
}
