import { createHash } from 'node:crypto';
import { requestIdOf, type EventIds } from '../event-id.ts';

/**
 * The ids of a line's run: a UUIDv7 of the time in its usage record, and of bits derived from the batch, the line and the
 * attempt. A run that is repeated after a crash is the same event, which is billed once.
 */
export function lineIds(batchId: string, line: number, attempt: number, beganAt: number): EventIds {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(beganAt, 0, 6);
  createHash('sha256').update(`sluice/batch-line:${batchId}:${line}:${attempt}`).digest().copy(bytes, 6, 0, 10);
  bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f);
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
  const eventId = bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { eventId, requestId: requestIdOf(eventId) };
}
