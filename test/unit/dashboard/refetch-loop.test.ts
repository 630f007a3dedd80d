import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { refetchRepeatedly, type RefetchSchedule } from '../../../src/dashboard/data/graphql/refetch-loop.ts';

const polled: RefetchSchedule = { firstMs: 2_000, backsOff: 'after-failure', totalMs: null };
const awaited: RefetchSchedule = { firstMs: 1_000, backsOff: 'always', totalMs: 600_000 };

/** A query and when it was fetched, in milliseconds from the start. */
class Query {
  readonly times: number[] = [];
  isInFlight = false;
  isFailing = false;
  readonly #startedAt = Date.now();

  isReady(): boolean {
    return !this.isInFlight;
  }

  hasFailed(): boolean {
    return this.isFailing;
  }

  refetch(): void {
    this.times.push(Date.now() - this.#startedAt);
  }
}

describe('a query that is fetched again and again', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('waits longer after each failure, and as at first after a success', () => {
    const query = new Query();
    const end = refetchRepeatedly(polled, query);
    query.isFailing = true;
    vi.advanceTimersByTime(14_000);
    expect(query.times).toEqual([2_000, 6_000, 14_000]);
    query.isFailing = false;
    vi.advanceTimersByTime(20_000);
    expect(query.times).toEqual([2_000, 6_000, 14_000, 30_000, 32_000, 34_000]);
    end();
    vi.advanceTimersByTime(60_000);
    expect(query.times).toHaveLength(6);
  });

  it('waits for the request before', () => {
    const query = new Query();
    const end = refetchRepeatedly(polled, query);
    query.isInFlight = true;
    vi.advanceTimersByTime(9_000);
    expect(query.times).toEqual([]);
    query.isInFlight = false;
    vi.advanceTimersByTime(1_000);
    expect(query.times).toEqual([10_000]);
    end();
  });

  it('waits ever longer, down to every 30 s, and ends after 10 minutes', () => {
    const query = new Query();
    refetchRepeatedly(awaited, query);
    vi.advanceTimersByTime(3_600_000);
    expect(query.times.slice(0, 7)).toEqual([1_000, 3_000, 7_000, 15_000, 31_000, 61_000, 91_000]);
    expect(query.times.at(-1)).toBe(601_000);
    expect(vi.getTimerCount()).toBe(0);
  });
});
