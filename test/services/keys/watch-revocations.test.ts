import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import type { MemoryKeyDirectory } from '../../../src/services/keys/key-directory.ts';
import { watchRevocations } from '../../../src/services/keys/watch-revocations.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('revocations by another process', () => {
  it('are told once each, also those that a lost database hid', async () => {
    const revoked = new Map<string, number>();
    let away = false;
    const query = vi.fn(async (_text: string, [since]: [Date]) => {
      if (away) throw new Error('away');
      return [...revoked].filter(([, at]) => at > since.getTime()).map(([id]) => ({ id }));
    });
    const told: string[] = [];
    const stop = watchRevocations(
      { query } as unknown as Database,
      { revoked: (id: string) => told.push(id) } as unknown as MemoryKeyDirectory,
    );
    revoked.set('first', Date.now());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(told).toEqual(['first']);
    away = true;
    revoked.set('second', Date.now());
    await vi.advanceTimersByTimeAsync(300_000);
    expect(told).toEqual(['first']);
    away = false;
    await vi.advanceTimersByTimeAsync(4_000);
    expect(told).toEqual(['first', 'second']);
    stop();
    const looks = query.mock.calls.length;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(query.mock.calls.length).toBe(looks);
  });
});
