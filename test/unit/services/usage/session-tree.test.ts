import { describe, expect, it } from 'vitest';
import { requestIdOf } from '../../../../src/gateway/event-id.ts';
import { sessionTree, type PlacedRequest } from '../../../../src/services/usage/sessions/session-tree.ts';

const eventId = (number: number): string => `0198f1c0-a1b2-7c3d-8e4f-${String(number).padStart(12, '0')}`;
const requestId = (number: number): string => requestIdOf(eventId(number));

function request(number: number, parentId: string | null = null): PlacedRequest {
  return { eventId: eventId(number), parentId };
}

function shown(rows: readonly PlacedRequest[]): unknown[] {
  return sessionTree(rows).map(({ row, depth, step }) => [Number(row.eventId.slice(-12)), depth, step]);
}

describe('the tree of a session', () => {
  it('has each request before its parts, in order of time', () => {
    expect(
      shown([request(1), request(2, requestId(1)), request(3), request(4, requestId(1)), request(5, requestId(2))]),
    ).toEqual([
      [1, 0, null],
      [2, 1, null],
      [5, 2, null],
      [4, 1, null],
      [3, 0, null],
    ]);
  });

  it('has the requests of a step together', () => {
    expect(shown([request(1, 'plan'), request(2), request(3, 'plan'), request(4, requestId(1))])).toEqual([
      [1, 1, 'plan'],
      [4, 2, null],
      [3, 1, 'plan'],
      [2, 0, null],
    ]);
  });

  it('keeps requests whose parents are elsewhere, themselves or their own parts', () => {
    const rows = [
      request(1, requestId(9)),
      request(2, requestId(2)),
      request(3, requestId(4)),
      request(4, requestId(3)),
    ];
    expect(shown(rows)).toEqual([
      [1, 0, null],
      [2, 0, null],
      [3, 0, null],
      [4, 1, null],
    ]);
  });
});
