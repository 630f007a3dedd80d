import { describe, expect, it } from 'vitest';
import { lineIds } from '../../../../src/gateway/batches/line-identity.ts';
import { eventIdOf } from '../../../../src/gateway/event-id.ts';

const batch = '01936f00-0000-7000-8000-000000000001';
const at = Date.parse('2026-11-27T06:00:00.123Z');

describe('the ids of a line', () => {
  it('are the same in each run, and valid UUIDv7s of its time', () => {
    const ids = lineIds(batch, 7, 0, at);
    expect(lineIds(batch, 7, 0, at)).toEqual(ids);
    expect(eventIdOf(ids.requestId)).toBe(ids.eventId);
    expect(Number.parseInt(ids.eventId.replaceAll('-', '').slice(0, 12), 16)).toBe(at);
  });

  it('differ by batch, line, attempt and time', () => {
    const other = '01936f00-0000-7000-8000-000000000002';
    const all = [
      lineIds(batch, 7, 0, at),
      lineIds(other, 7, 0, at),
      lineIds(batch, 8, 0, at),
      lineIds(batch, 7, 1, at),
      lineIds(batch, 7, 0, at + 1),
    ];
    expect(new Set(all.map(({ eventId }) => eventId)).size).toBe(all.length);
  });
});
