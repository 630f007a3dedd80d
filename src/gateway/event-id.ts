import { randomFillSync } from 'node:crypto';

const randomPool = Buffer.allocUnsafe(16 * 256);
let poolOffset = randomPool.length;

/** One request's names: a UUIDv7 (RFC 9562: the creation time in milliseconds, then 74 random bits), and the `x-request-id` made of it. */
export interface EventIds {
  readonly eventId: string;
  /** `req_` and the UUID's 32 hex digits. */
  readonly requestId: string;
}

export function newEventIds(now: number = Date.now()): EventIds {
  if (poolOffset === randomPool.length) {
    randomFillSync(randomPool);
    poolOffset = 0;
  }
  const start = poolOffset;
  poolOffset += 16;
  randomPool.writeUIntBE(now, start, 6);
  randomPool[start + 6] = 0x70 | (randomPool.readUInt8(start + 6) & 0x0f);
  randomPool[start + 8] = 0x80 | (randomPool.readUInt8(start + 8) & 0x3f);
  const hex = randomPool.toString('hex', start, start + 16);
  return {
    eventId: `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`,
    requestId: `req_${hex}`,
  };
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
