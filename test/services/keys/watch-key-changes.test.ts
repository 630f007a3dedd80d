import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchKeyChanges } from '../../../src/services/keys/watch-key-changes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('changes of keys by another process', () => {
  it('are told once each, also those that a lost database hid', async () => {
    const changed: { id: string; revoked: boolean; at: number }[] = [];
    let away = false;
    let looks = 0;
    const told: string[] = [];
    const query = async (_text: string, values: readonly unknown[] = []): Promise<never[]> => {
      looks++;
      if (away) throw new Error('away');
      const rows = changed.filter(({ at }) => at > performance.now() - Number(values[0]));
      return JSON.parse(JSON.stringify(rows.map((row) => ({ ...row, at: String(row.at) }))));
    };
    const stop = watchKeyChanges(
      { query },
      { evict: (id) => void told.push(`${id} changed`), revoked: (id) => void told.push(`${id} revoked`) },
    );
    changed.push({ id: 'first', revoked: false, at: performance.now() });
    await vi.advanceTimersByTimeAsync(800);
    expect(told).toEqual(['first changed']);
    changed[0] = { id: 'first', revoked: true, at: performance.now() };
    await vi.advanceTimersByTimeAsync(10_000);
    expect(told).toEqual(['first changed', 'first revoked']);
    away = true;
    changed.push({ id: 'second', revoked: true, at: performance.now() });
    await vi.advanceTimersByTimeAsync(300_000);
    expect(told).toHaveLength(2);
    away = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(told).toEqual(['first changed', 'first revoked', 'second revoked']);
    stop();
    const before = looks;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(looks).toBe(before);
  });
});
