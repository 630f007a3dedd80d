import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followSession } from '../../../../src/services/accounts/follow-session.ts';

const DAY_MS = 86_400_000;

describe('following a session', () => {
  let listeners: Set<(sessionId: string) => void>;
  const sessions = {
    onEnded: (listener: (sessionId: string) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const end = (sessionId: string): void => [...listeners].forEach((listener) => listener(sessionId));

  beforeEach(() => {
    listeners = new Set();
    vi.useFakeTimers();
  });
  afterEach(() => vi.useRealTimers());

  it('tells once of its end, and of no other’s', () => {
    const told = vi.fn<() => void>();
    followSession(sessions, { sessionId: 'a', expiresAt: Date.now() + DAY_MS }, told);
    end('b');
    expect(told).not.toHaveBeenCalled();
    end('a');
    end('a');
    vi.advanceTimersByTime(2 * DAY_MS);
    expect(told).toHaveBeenCalledOnce();
    expect(listeners.size).toBe(0);
  });

  it('tells when it is as old as it may become, further off than a timer reaches', () => {
    const told = vi.fn<() => void>();
    followSession(sessions, { sessionId: 'a', expiresAt: Date.now() + 60 * DAY_MS }, told);
    vi.advanceTimersByTime(60 * DAY_MS - 1);
    expect(told).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(told).toHaveBeenCalledOnce();
    expect(listeners.size).toBe(0);
  });

  it('tells nothing once it is left', () => {
    const told = vi.fn<() => void>();
    const stop = followSession(sessions, { sessionId: 'a', expiresAt: Date.now() + DAY_MS }, told);
    stop();
    vi.advanceTimersByTime(2 * DAY_MS);
    end('a');
    expect(told).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});
