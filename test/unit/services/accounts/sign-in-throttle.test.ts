import { describe, expect, it } from 'vitest';
import { SignInThrottle } from '../../../../src/services/accounts/sign-in-throttle.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

describe('a sign-in throttle', () => {
  it('allows some attempts, then delays each one longer, and forgets', () => {
    const clock = new FakeClock();
    const throttle = new SignInThrottle(3, clock);
    const waits: number[] = [];
    for (let attempt = 0; attempt < 6; attempt++) {
      for (;;) {
        try {
          throttle.attempt('someone');
          break;
        } catch (error) {
          expect(error).toMatchObject({ code: 'too_many_attempts' });
          const waitMs = Number((error as { retryAfterMs?: number }).retryAfterMs);
          waits.push(waitMs);
          clock.advance(waitMs);
        }
      }
    }
    expect(waits).toEqual([1_000, 2_000, 4_000]);
    throttle.attempt('someone else');
    throttle.succeeded('someone');
    throttle.attempt('someone');
  });

  it('delays a subject regardless of how many others there are', () => {
    const throttle = new SignInThrottle(3, new FakeClock());
    for (let attempt = 0; attempt < 3; attempt++) throttle.attempt('victim');
    for (let other = 0; other < 60_000; other++) throttle.attempt(`noise ${other}`);
    expect(() => throttle.attempt('victim')).toThrow(expect.objectContaining({ code: 'too_many_attempts' }));
    throttle.succeeded('victim');
    throttle.attempt('victim');
  });

  it('counts with other processes, and alone while that is unavailable', async () => {
    const calls: string[] = [];
    let waitMs: number | null = 0;
    const shared = {
      attempt: async (subject: string, { free }: { readonly free: number }) => {
        calls.push(`attempt ${subject} ${free}`);
        if (waitMs === null) throw new Error('unavailable');
        return waitMs;
      },
      undo: (subject: string) => void calls.push(`undo ${subject}`),
      clear: (subject: string) => void calls.push(`clear ${subject}`),
    };
    const throttle = new SignInThrottle(1, new FakeClock(), shared, 'name');
    await throttle.attempt('someone');
    await throttle.attempt('someone');
    waitMs = 1_500;
    await expect(throttle.attempt('someone')).rejects.toMatchObject({ code: 'too_many_attempts', retryAfterMs: 1_500 });
    waitMs = null;
    await throttle.attempt('someone');
    await expect(throttle.attempt('someone')).rejects.toMatchObject({ retryAfterMs: 1_000 });
    throttle.undoAttempt('someone');
    throttle.succeeded('someone');
    await throttle.attempt('someone');
    expect(calls.slice(-3)).toEqual(['undo name someone', 'clear name someone', 'attempt name someone 1']);
  });
});
