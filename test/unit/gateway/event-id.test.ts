import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventIdOf, newEventIds, requestIdOf } from '../../../src/gateway/event-id.ts';

const LAST_TIME = 2 ** 48 - 1;

describe('the ids of a request', () => {
  it('are a version 7 UUID with the current time, and the same digits after req_', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LAST_TIME }), (now) => {
        const { eventId, requestId } = newEventIds(now);
        expect(eventId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(Number.parseInt(eventId.slice(0, 13).replace('-', ''), 16)).toBe(now);
        expect(requestId).toBe(requestIdOf(eventId));
        expect(eventIdOf(requestId)).toBe(eventId);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are unique, also within a millisecond', () => {
    const made = Array.from({ length: 5_000 }, () => newEventIds(1_795_000_000_000).eventId);
    expect(new Set(made).size).toBe(made.length);
  });
});
