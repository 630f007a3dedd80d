import { beforeEach, describe, expect, it, vi } from 'vitest';
import { watchSession } from '../../../../src/services/sessions/watch-session.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

describe('following a session', () => {
  let clock: FakeClock;
  let listeners: Set<(sessionId: string) => void>;
  let endsAt: number | null;
  const sessions = {
    endOf: () => Promise.resolve(endsAt),
    onEnded: (listener: (sessionId: string) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const end = (sessionId: string): void => [...listeners].forEach((listener) => listener(sessionId));

  beforeEach(() => {
    listeners = new Set();
    clock = new FakeClock();
  });

  const follow = (onEnd: () => void, expiresAt = clock.now() + 60 * DAY_MS, idleAt = expiresAt): (() => void) => {
    endsAt = Math.min(expiresAt, idleAt);
    return watchSession(sessions, { sessionId: 'a', expiresAt, idleAt }, onEnd, clock);
  };
  /** An hour at a time: the session is checked every hour. */
  const pass = async (ms: number): Promise<void> => {
    const end = clock.now() + ms;
    while (clock.now() < end) {
      clock.advance(Math.min(HOUR_MS, end - clock.now()));
      await Promise.resolve();
      await Promise.resolve();
    }
  };

  it('reports the end once, and no other session’s', async () => {
    const told = vi.fn<() => void>();
    follow(told, clock.now() + DAY_MS);
    end('b');
    expect(told).not.toHaveBeenCalled();
    end('a');
    end('a');
    await pass(2 * DAY_MS);
    expect(told).toHaveBeenCalledOnce();
    expect(listeners.size).toBe(0);
  });

  it('reports the maximum age', async () => {
    const told = vi.fn<() => void>();
    follow(told);
    await pass(60 * DAY_MS - 1);
    expect(told).not.toHaveBeenCalled();
    await pass(1);
    expect(told).toHaveBeenCalledOnce();
    expect(listeners.size).toBe(0);
  });

  it('reports inactivity, unless the session was used meanwhile', async () => {
    const told = vi.fn<() => void>();
    follow(told, clock.now() + 60 * DAY_MS, clock.now() + DAY_MS);
    endsAt = clock.now() + 2 * DAY_MS;
    await pass(2 * DAY_MS - 1);
    expect(told).not.toHaveBeenCalled();
    endsAt = null;
    await pass(1);
    expect(told).toHaveBeenCalledOnce();
  });

  it('tells within an hour where its time was shortened', async () => {
    const told = vi.fn<() => void>();
    follow(told);
    endsAt = null;
    await pass(HOUR_MS);
    expect(told).toHaveBeenCalledOnce();
  });

  it('tells nothing once it is left', async () => {
    const told = vi.fn<() => void>();
    const stop = follow(told, clock.now() + DAY_MS);
    stop();
    await pass(2 * DAY_MS);
    end('a');
    expect(told).not.toHaveBeenCalled();
    expect(clock.pending).toBe(0);
  });
});
