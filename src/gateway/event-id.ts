import { randomFillSync } from 'node:crypto';

/** What of a UUIDv7 is not its time: 74 random bits, its version and its variant. */
const TAIL_BYTES = 10;
const TAIL_DIGITS = TAIL_BYTES * 2;
/** Of the time, those that change each 65 seconds stand in a group of their own. */
const SLOW_DIGITS = 8;
const FAST_RANGE = 0x1_00_00;
const hexBytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const randomPool = Buffer.allocUnsafe(TAIL_BYTES * 256);
/** Tails in hex digits, made many at once. */
let tails = '';
let nextTail = 0;
let slowOf = -1;
let slow = '';

/** One request's names: a UUIDv7 (RFC 9562: the creation time in milliseconds, then 74 random bits), and the `x-request-id` made of it. */
export interface EventIds {
  readonly eventId: string;
  /** `req_` and the UUID's 32 hex digits. */
  readonly requestId: string;
}

export function newEventIds(now: number = Date.now()): EventIds {
  if (nextTail === tails.length) fillTails();
  const since = Math.floor(now / FAST_RANGE);
  if (since !== slowOf) {
    slowOf = since;
    slow = since.toString(16).padStart(SLOW_DIGITS, '0');
  }
  const fast = hexByte(now >> 8) + hexByte(now);
  const tail = tails.slice(nextTail, nextTail + TAIL_DIGITS);
  nextTail += TAIL_DIGITS;
  return {
    eventId: `${slow}-${fast}-${tail.slice(0, 4)}-${tail.slice(4, 8)}-${tail.slice(8)}`,
    requestId: `req_${slow}${fast}${tail}`,
  };
}

function hexByte(number: number): string {
  return hexBytes[number & 0xff] ?? '';
}

function fillTails(): void {
  randomFillSync(randomPool);
  for (let at = 0; at < randomPool.length; at += TAIL_BYTES) {
    randomPool[at] = 0x70 | (randomPool.readUInt8(at) & 0x0f);
    randomPool[at + 2] = 0x80 | (randomPool.readUInt8(at + 2) & 0x3f);
  }
  tails = randomPool.toString('hex');
  nextTail = 0;
}

/** The `x-request-id` of an event. */
export function requestIdOf(eventId: string): string {
  return `req_${eventId.replaceAll('-', '')}`;
}

/** The event of an `x-request-id`, or null where the text is none of ours. */
export function eventIdOf(requestId: string): string | null {
  const match = /^req_([0-9a-f]{8})([0-9a-f]{4})(7[0-9a-f]{3})([89ab][0-9a-f]{3})([0-9a-f]{12})$/.exec(requestId);
  return match ? match.slice(1).join('-') : null;
}
