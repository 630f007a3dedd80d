import { randomFillSync } from 'node:crypto';
import { systemClock } from '../calendar/clock.ts';

/** The part of a UUIDv7 after its time: 74 random bits, the version and the variant. */
const TAIL_BYTES = 10;
const TAIL_DIGITS = TAIL_BYTES * 2;
/** A UUID has dashes before the third and the fifth byte of it. */
const DASHED_DIGITS = TAIL_DIGITS + 2;
const MADE_AT_ONCE = 256;
/** Time digits that change every 65 seconds; they form the first group. */
const SLOW_DIGITS = 8;
const FAST_DIGITS = 4;
const randomPool = Buffer.allocUnsafe(TAIL_BYTES * MADE_AT_ONCE);
const dashedPool = Buffer.alloc(DASHED_DIGITS * MADE_AT_ONCE, '-');
/** Pre-generated tails as hex digits, without and with dashes. */
let tails = '';
let dashedTails = '';
let next = MADE_AT_ONCE;
/** Cached heads of the last millisecond. */
let headsOf = -1;
let eventHead = '';
let requestHead = '';

/**
 * The ids of one request: a UUIDv7 (RFC 9562: the creation time in milliseconds, then 74 random bits), and the
 * `x-request-id` derived from it.
 */
export interface EventIds {
  readonly eventId: string;
  /** `req_` and the UUID's 32 hex digits. */
  readonly requestId: string;
}

export function newEventIds(now: number = systemClock.now()): EventIds {
  if (next === MADE_AT_ONCE) fillTails();
  if (now !== headsOf) setHeads(now);
  const [plain, dashed] = [next * TAIL_DIGITS, next * DASHED_DIGITS];
  next++;
  return {
    eventId: eventHead + dashedTails.slice(dashed, dashed + DASHED_DIGITS),
    requestId: requestHead + tails.slice(plain, plain + TAIL_DIGITS),
  };
}

function setHeads(now: number): void {
  headsOf = now;
  const digits = now.toString(16).padStart(SLOW_DIGITS + FAST_DIGITS, '0');
  eventHead = `${digits.slice(0, SLOW_DIGITS)}-${digits.slice(SLOW_DIGITS)}-`;
  requestHead = `req_${digits}`;
}

function fillTails(): void {
  randomFillSync(randomPool);
  for (let at = 0; at < randomPool.length; at += TAIL_BYTES) {
    randomPool[at] = 0x70 | (randomPool.readUInt8(at) & 0x0f);
    randomPool[at + 2] = 0x80 | (randomPool.readUInt8(at + 2) & 0x3f);
  }
  tails = randomPool.toString('hex');
  const digits = Buffer.from(tails, 'latin1');
  for (let index = 0; index < MADE_AT_ONCE; index++) {
    const [from, to] = [index * TAIL_DIGITS, index * DASHED_DIGITS];
    digits.copy(dashedPool, to, from, from + 4);
    digits.copy(dashedPool, to + 5, from + 4, from + 8);
    digits.copy(dashedPool, to + 10, from + 8, from + TAIL_DIGITS);
  }
  dashedTails = dashedPool.toString('latin1');
  next = 0;
}

/** The `x-request-id` of an event. */
export function requestIdOf(eventId: string): string {
  return `req_${eventId.replaceAll('-', '')}`;
}

/** The event id of an `x-request-id`; null for any other text. */
export function eventIdOf(requestId: string): string | null {
  const match = /^req_([0-9a-f]{8})([0-9a-f]{4})(7[0-9a-f]{3})([89ab][0-9a-f]{3})([0-9a-f]{12})$/.exec(requestId);
  return match ? match.slice(1).join('-') : null;
}

/** When an event began, in milliseconds since the epoch. */
export function eventTime(eventId: string): number {
  return Number.parseInt(
    eventId.slice(0, SLOW_DIGITS) + eventId.slice(SLOW_DIGITS + 1, SLOW_DIGITS + 1 + FAST_DIGITS),
    16,
  );
}
