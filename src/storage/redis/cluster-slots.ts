import type { RedisAddress } from './redis-servers.ts';

export const SLOT_COUNT = 16_384;

/** Hash slots and the server that has them. */
export interface SlotRange {
  readonly first: number;
  readonly last: number;
  readonly primary: RedisAddress;
}

/** CRC-16/XMODEM, the hash of Redis Cluster's specification. */
const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
  return crc;
});

/** The slot of a key: of the part in its first braces, if that is not empty. */
export function slotOf(key: string): number {
  const open = key.indexOf('{');
  const close = open < 0 ? -1 : key.indexOf('}', open + 1);
  const hashed = Buffer.from(close > open + 1 ? key.slice(open + 1, close) : key);
  let crc = 0;
  for (const byte of hashed) crc = ((crc << 8) ^ (table[((crc >> 8) ^ byte) & 0xff] ?? 0)) & 0xffff;
  return crc % SLOT_COUNT;
}

/** A hash tag with a slot. */
export function tagOf(slot: number): string {
  for (let number = 0; ; number++) if (slotOf(String(number)) === slot) return String(number);
}

/**
 * Reads the reply of `CLUSTER SLOTS`.
 * @param asked the host that replied: a node that does not know its own name is at that host
 */
export function parseSlots(reply: unknown, asked: string): SlotRange[] {
  if (!Array.isArray(reply)) throw new TypeError('CLUSTER SLOTS returned an unexpected reply');
  return reply.flatMap((entry: unknown): SlotRange[] => {
    const [first, last, primary]: unknown[] = Array.isArray(entry) ? entry : [];
    const [name, port]: unknown[] = Array.isArray(primary) ? primary : [];
    if (typeof first !== 'number' || typeof last !== 'number' || typeof port !== 'number') return [];
    const host = typeof name === 'string' && name !== '' && name !== '?' ? name : asked;
    return [{ first, last, primary: { host, port } }];
  });
}

/** Where a slot is, or is moving to, of a reply `MOVED` or `ASK`. Null for other errors. */
export interface Redirection {
  readonly kind: 'MOVED' | 'ASK';
  readonly slot: number;
  /** An empty host is that of the server which replied. */
  readonly address: RedisAddress;
}

export function redirectionOf(error: unknown): Redirection | null {
  if (!(error instanceof Error)) return null;
  const [, kind, slot, host = '', port] = /^(MOVED|ASK) (\d+) (.*):(\d+)$/.exec(error.message) ?? [];
  if (kind !== 'MOVED' && kind !== 'ASK') return null;
  return { kind, slot: Number(slot), address: { host, port: Number(port) } };
}
