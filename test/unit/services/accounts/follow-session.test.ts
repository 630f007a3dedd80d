import { beforeEach, describe, expect, it, vi } from 'vitest';
import { followSession } from '../../../../src/services/accounts/follow-session.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

const DAY_MS = 86_400_000;

describe('following a session', () => {
  let clock: FakeClock;
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
    clock = new FakeClock();
  });

  it('tells once of its end, and of no other’s', () => {
    const told = vi.fn<() => void>();
    followSession(sessions, { sessionId: 'a', expiresAt: clock.now() + DAY_MS }, told, clock);
    end('b');
    expect(told).not.toHaveBeenCalled();
    end('a');
    end('a');
    clock.advance(2 * DAY_MS);
    expect(told).toHaveBeenCalledOnce();
    expect(listeners.size).toBe(0);
  });

  it('tells when it is as old as it may become, further off than a timer reaches', () => {
    const told = vi.fn<() => void>();
    followSession(sessions, { sessionId: 'a', expiresAt: clock.now() + 60 * DAY_MS }, told, clock);
    clock.advance(60 * DAY_MS - 1);
    expect(told).not.toHaveBeenCalled();
    clock.advance(1);
    expect(told).toHaveBeenCalledOnce();
    expect(listeners.size).toBe(0);
  });

  it('tells nothing once it is left', () => {
    const told = vi.fn<() => void>();
    const stop = followSession(sessions, { sessionId: 'a', expiresAt: clock.now() + DAY_MS }, told, clock);
    stop();
    clock.advance(2 * DAY_MS);
    end('a');
    expect(told).not.toHaveBeenCalled();
    expect(clock.pending).toBe(0);
  });
});
