import { once } from 'node:events';
import type { Response } from 'express';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { toSluiceError } from '../../errors/index.ts';
import { setStandardHeaders } from '../headers/response-headers.ts';
import { isRevokedBy } from '../../gateway/keys/key-directory.ts';
import { responseError } from '../../gateway/capabilities/responses/response-object.ts';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import { keyOf } from '../authentication/caller.ts';
import { EVENT_STREAM, eventText } from './response-sinks.ts';
import type { ResponseRouteDependencies } from './route-dependencies.ts';

export interface FollowDependencies extends Pick<ResponseRouteDependencies, 'keys'> {
  readonly responses: {
    /** @throws SluiceError not_found */
    get(reach: ObjectReach, publicId: string): Promise<unknown>;
    watch(reach: ObjectReach, publicId: string, after: number, signal: AbortSignal): AsyncIterable<string>;
  };
}

/** Proxies close connections without traffic after about a minute. */
const KEEP_ALIVE_INTERVAL_MS = 15_000;
/** For clients that stop reading. */
const STALL_TIMEOUT_MS = 60_000;
const headOf = /^\{"type":"([\w.]+)","sequence_number":(\d+)/;

/**
 * Streams the events of a background response after a sequence number, past and future ones.
 * @throws SluiceError not_found
 */
export async function followResponse(
  { responses, keys }: FollowDependencies,
  response: Response,
  reach: ObjectReach,
  publicId: string,
  after: number,
  clock: Clock = systemClock,
): Promise<void> {
  // The client disconnected during an earlier step.
  if (response.destroyed) return;
  const leaving = new AbortController();
  response.once('close', () => leaving.abort());
  const key = keyOf(response);
  // An unknown response is a 404, not an empty stream.
  await responses.get(reach, publicId);
  if (leaving.signal.aborted) return;
  setStandardHeaders(response);
  response.writeHead(200, { 'content-type': EVENT_STREAM, 'x-accel-buffering': 'no' });
  response.flushHeaders();
  const forget = keys.onRevoked((revoked) => {
    if (isRevokedBy(key, revoked)) response.destroy();
  });
  const alive = clock.setInterval(() => response.write(': keep-alive\n\n'), KEEP_ALIVE_INTERVAL_MS).unref();
  let next = after + 1;
  try {
    for await (const json of responses.watch(reach, publicId, after, leaving.signal)) {
      const [, type = 'message', number = next] = headOf.exec(json) ?? [];
      next = Number(number) + 1;
      if (!response.write(eventText(type, json))) await drained(response, leaving.signal, clock);
    }
    response.end();
  } catch (error) {
    if (leaving.signal.aborted) return;
    const { code, message } = responseError(toSluiceError(error));
    const event = { type: 'error', sequence_number: next, code, message, param: null };
    response.end(eventText(event.type, JSON.stringify(event)));
  } finally {
    alive.cancel();
    forget();
  }
}

/** @throws AbortError if the client disconnects, or stops reading and is disconnected */
async function drained(response: Response, leaving: AbortSignal, clock: Clock): Promise<void> {
  const stalled = clock.setTimeout(() => response.destroy(), STALL_TIMEOUT_MS).unref();
  await once(response, 'drain', { signal: leaving }).finally(() => stalled.cancel());
}
