import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { watchPlanChanges } from '../../../src/services/plans/watch-plan-changes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('changes of plans by another process are told once each, within a second, also those that a lost database hid', async () => {
  const changes: { id: string; account_id: string; at: number }[] = [];
  let away = false;
  const query: Database['query'] = vi.fn(async (_text: string, [since]: readonly unknown[] = []) => {
    if (away) throw new Error('away');
    return changes.filter(({ at }) => since instanceof Date && at > since.getTime()) as never;
  });
  const told: string[] = [];
  const stop = watchPlanChanges({ query }, (accountId) => told.push(accountId));
  changes.push({ id: '1', account_id: 'a', at: Date.now() });
  await vi.advanceTimersByTimeAsync(999);
  expect(told).toEqual(['a']);
  away = true;
  changes.push({ id: '2', account_id: 'b', at: Date.now() }, { id: '3', account_id: 'a', at: Date.now() });
  await vi.advanceTimersByTimeAsync(300_000);
  expect(told).toEqual(['a']);
  away = false;
  await vi.advanceTimersByTimeAsync(999);
  expect(told).toEqual(['a', 'b', 'a']);
  await vi.advanceTimersByTimeAsync(300_000);
  expect(told).toHaveLength(3);
  stop();
});
